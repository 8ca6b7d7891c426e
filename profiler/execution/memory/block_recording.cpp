#include "profiler/execution/memory/block_recording.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>

#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/memory/tile_map.hpp"

namespace tilescope {
namespace {

using simt::Access;
using simt::Space;

class AccessRecorder : public simt::Observer {
 public:
  AccessRecorder(const simt::Program& program, const TileMap& tiles, const RecordingOptions& options,
                 BlockRecording& recording)
      : program_(program),
        tiles_(tiles),
        options_(options),
        recording_(recording),
        is_wanted_(program.code.size()),
        latest_(program.code.size(), UINT32_MAX) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const std::uint32_t origin = program.code[i].origin;
      is_wanted_[i] =
          origin < program.origins.size() && matches(place_of(program, origin, options.main_file));
    }
  }

  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override {
    const auto instruction = static_cast<std::uint32_t>(access.instruction - program_.code.data());
    const bool space_matches = (access.space == Space::shared && options_.shared) ||
                               (access.space == Space::global && options_.global);
    if (!space_matches || !is_wanted_[instruction] || access.access == Access::async_copy_write) return;
    const std::uint64_t execution = recording_.matching++;
    if (execution < options_.first || execution >= options_.end || recording_.truncated) return;
    const std::uint32_t site = site_of(instruction, access);
    const std::uint32_t pattern = pattern_of(access, instruction);
    const std::uint64_t bytes = other_bytes_ + (recording_.accesses.size() + 1) * sizeof(RecordedAccess);
    if (bytes > options_.byte_limit) {
      recording_.truncated = true;
      return;
    }
    record(warp, access, site, pattern);
  }

 private:
  bool matches(const SitePlace& place) const {
    if (options_.lines.empty() && options_.ptx_lines.empty()) return true;
    const bool in_main_file = options_.main_file.empty() || place.file == options_.main_file;
    return (in_main_file && std::ranges::find(options_.lines, place.line) != options_.lines.end()) ||
           std::ranges::find(options_.ptx_lines, place.ptx_line) != options_.ptx_lines.end();
  }

  std::uint32_t site_of(std::uint32_t instruction, const simt::MemoryAccess& access) {
    const TileMap::Range tile = tiles_.find(access.space, access.addresses[std::countr_zero(access.lanes)]);
    const auto [entry, is_new] = sites_.try_emplace({instruction, access.access, access.space, tile.name},
                                                    static_cast<std::uint32_t>(recording_.sites.size()));
    if (is_new) {
      SitePlace place = place_of(program_, access.instruction->origin, options_.main_file);
      const bool in_main_file = options_.main_file.empty() || place.file == options_.main_file;
      recording_.sites.push_back({access.space == Space::shared, access.access, in_main_file ? place.line : 0,
                                  place.ptx_line, place.address,
                                  operation_of(program_, *access.instruction, access.space, access.access),
                                  access.lane_bytes, tiles_.name(tile.name), std::move(place.instruction),
                                  std::move(place.inlined)});
      other_bytes_ += sizeof(RecordedSite) + recording_.sites.back().instruction.size() +
                      recording_.sites.back().tile.size() + recording_.sites.back().operation.size();
    }
    return entry->second;
  }

  std::uint32_t pattern_of(const simt::MemoryAccess& access, std::uint32_t instruction) {
    const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
    scratch_.lanes = access.lanes;
    scratch_.source_lanes = access.source_lanes;
    scratch_.offsets.fill(0);
    scratch_.source_offsets.clear();
    if (access.source_addresses != nullptr) scratch_.source_offsets.resize(simt::lane_count, 0);
    for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      scratch_.offsets[lane] = static_cast<std::int64_t>(access.addresses[lane] - access.addresses[first]);
      if (access.source_addresses != nullptr) {
        scratch_.source_offsets[lane] =
            static_cast<std::int64_t>(access.source_addresses[lane] - access.source_addresses[first]);
      }
    }
    // Most executions repeat the last pattern of their instruction.
    std::uint32_t& latest = latest_[instruction];
    if (latest < recording_.patterns.size() && recording_.patterns[latest] == scratch_) return latest;
    const auto [entry, is_new] =
        patterns_.try_emplace(pattern_key(scratch_), static_cast<std::uint32_t>(recording_.patterns.size()));
    if (is_new) {
      other_bytes_ += sizeof(RecordedPattern) + scratch_.source_offsets.size() * sizeof(std::int64_t);
      recording_.patterns.push_back(scratch_);
    }
    return latest = entry->second;
  }

  static std::string pattern_key(const RecordedPattern& pattern) {
    std::string key(reinterpret_cast<const char*>(&pattern.lanes), sizeof(pattern.lanes));
    key.append(reinterpret_cast<const char*>(&pattern.source_lanes), sizeof(pattern.source_lanes));
    key.append(reinterpret_cast<const char*>(pattern.offsets.data()), sizeof(pattern.offsets));
    key.append(reinterpret_cast<const char*>(pattern.source_offsets.data()),
               pattern.source_offsets.size() * sizeof(std::int64_t));
    return key;
  }

  void record(const simt::Warp& warp, const simt::MemoryAccess& access, std::uint32_t site,
              std::uint32_t pattern) {
    if (recording_.accesses.size() == recording_.accesses.capacity()) {
      // Doubling must not take the list beyond the limit.
      const std::uint64_t most = options_.byte_limit / sizeof(RecordedAccess);
      recording_.accesses.reserve(std::min<std::uint64_t>(most, recording_.accesses.size() * 2 + 64));
    }
    const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
    RecordedAccess& recorded = recording_.accesses.emplace_back();
    recorded.base = access.addresses[first];
    if (access.source_addresses != nullptr) recorded.source_base = access.source_addresses[first];
    recorded.site = site;
    recorded.pattern = pattern;
    recorded.warp = static_cast<std::uint16_t>(warp.index());
    if (access.space == Space::shared) {
      const SharedCost cost = shared_cost(access);
      recorded.wavefronts = static_cast<std::uint16_t>(cost.wavefronts);
      recorded.minimum = static_cast<std::uint16_t>(cost.minimum);
      recorded.degree = static_cast<std::uint16_t>(cost.degree);
    } else {
      const SectorCost cost = sector_cost(access.addresses, access.lanes, access.lane_bytes);
      recorded.wavefronts = static_cast<std::uint16_t>(cost.sectors);
      recorded.minimum = static_cast<std::uint16_t>(cost.minimum);
    }
  }

  const simt::Program& program_;
  const TileMap& tiles_;
  const RecordingOptions& options_;
  BlockRecording& recording_;
  std::vector<bool> is_wanted_;  // by instruction
  std::map<std::tuple<std::uint32_t, Access, Space, std::uint32_t>, std::uint32_t> sites_;
  std::unordered_map<std::string, std::uint32_t> patterns_;
  std::vector<std::uint32_t> latest_;  // the last pattern of each instruction
  RecordedPattern scratch_;
  std::uint64_t other_bytes_ = 0;  // [B] of sites and patterns
};

// The executions of every instruction of the block, by its place in the code that ran.
std::vector<LineExecutions> instructions_of(const simt::Program& program, const simt::RunResult& run,
                                            const std::string& main_file) {
  std::map<std::pair<std::optional<std::int64_t>, std::uint32_t>, LineExecutions> lines;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const simt::BasicBlock& block = program.blocks[b];
    if (run.block_executions[b] == 0) continue;
    for (std::uint32_t i = 1; i <= block.instructions; ++i) {
      const std::uint32_t origin = program.code[block.first + i].origin;
      if (origin == simt::no_index) continue;
      const simt::Origin& from = program.origins[origin];
      std::optional<std::int64_t> address;
      if (from.address != simt::no_index) address = from.address;
      LineExecutions& line = lines[{address, from.ptx_line}];
      if (line.executions == 0) {
        const SitePlace place = place_of(program, origin, main_file);
        line.ptx_line = from.ptx_line;
        line.address = address;
        if (main_file.empty() || place.file == main_file) line.line = place.line;
      }
      line.executions += run.block_executions[b];
    }
  }
  std::vector<LineExecutions> list;
  list.reserve(lines.size());
  for (const auto& [place, line] : lines) list.push_back(line);
  return list;
}

std::array<std::uint64_t, 32> moved(std::uint64_t base, const std::int64_t* offsets, std::uint32_t lanes) {
  std::array<std::uint64_t, 32> addresses{};
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    addresses[lane] = base + static_cast<std::uint64_t>(offsets[lane]);
  }
  return addresses;
}

}  // namespace

std::string place_words(const RecordedSite& site) {
  if (site.line == 0) return code_place_words(site);
  const std::string inner = accessing_place(site.inlined);
  return "line " + std::to_string(site.line) + (inner.empty() ? "" : ", " + inner);
}

std::string code_place_words(const RecordedSite& site) {
  return code_place(site.address, site.ptx_line);
}

bool is_of_machine_code(const BlockRecording& recording) {
  return std::ranges::any_of(recording.instructions,
                             [](const LineExecutions& line) { return line.address.has_value(); });
}

std::array<std::uint64_t, 32> addresses_of(const BlockRecording& recording, const RecordedAccess& access) {
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  return moved(access.base, pattern.offsets.data(), pattern.lanes);
}

std::array<std::uint64_t, 32> source_addresses_of(const BlockRecording& recording,
                                                  const RecordedAccess& access) {
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  return moved(access.source_base, pattern.source_offsets.data(), pattern.lanes);
}

BlockRecording record_block(const simt::Program& program, const simt::Launch& launch,
                            simt::GlobalMemory& memory, const RecordingOptions& options) {
  BlockRecording recording;
  recording.first = options.first;
  for (const simt::SharedSymbol& symbol : program.shared_symbols)
    recording.arrays.push_back({symbol.name, symbol.offset, symbol.bytes});
  const TileMap tiles(program, options.tiles, memory);
  simt::RunOptions run_options;
  run_options.blocks = {options.block};
  run_options.host_threads = 1;
  run_options.instructions_per_block = options.instructions_per_block;
  run_options.cancelled = options.cancelled;
  run_options.make_observer = [&] {
    return std::make_unique<AccessRecorder>(program, tiles, options, recording);
  };
  const simt::RunResult run = simt::run(program, launch, memory, run_options);
  recording.instructions = instructions_of(program, run, options.main_file);
  if (run.fault) recording.findings.push_back(finding_of(program, *run.fault, options.main_file));
  return recording;
}

}  // namespace tilescope
