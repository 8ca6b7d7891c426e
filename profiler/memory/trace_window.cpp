#include "profiler/memory/trace_window.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <tuple>

#include "profiler/memory/access_pattern.hpp"
#include "profiler/memory/bank_conflicts.hpp"
#include "profiler/memory/finding_log.hpp"
#include "profiler/memory/sectors.hpp"
#include "profiler/memory/site_text.hpp"
#include "profiler/memory/tile_map.hpp"

namespace tilescope {
namespace {

using ptx::Access;
using ptx::Space;

class WindowRecorder : public ptx::Observer {
 public:
  WindowRecorder(const ptx::Program& program, const TileMap& tiles, const TraceWindowOptions& options,
                 RecordedWindow& window)
      : program_(program),
        tiles_(tiles),
        options_(options),
        window_(window),
        is_wanted_(program.code.size()) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const std::uint32_t origin = program.code[i].origin;
      is_wanted_[i] =
          origin < program.origins.size() && matches(place_of(program, origin, options.main_file));
    }
  }

  void access(const ptx::Warp& warp, const ptx::MemoryAccess& access) override {
    const auto instruction = static_cast<std::uint32_t>(access.instruction - program_.code.data());
    const bool space_matches = (access.space == Space::shared && options_.shared) ||
                               (access.space == Space::global && options_.global);
    if (!space_matches || !is_wanted_[instruction] || access.access == Access::async_copy_write) return;
    const std::uint64_t execution = window_.matching++;
    if (execution < options_.first || execution >= options_.end || window_.truncated) return;
    const std::uint32_t site = site_of(instruction, access);
    const std::uint64_t bytes = site_bytes_ + (window_.accesses.size() + 1) * sizeof(WindowAccess);
    if (bytes > options_.byte_limit) {
      window_.truncated = true;
      return;
    }
    record(warp, access, execution, site);
  }

 private:
  bool matches(const SitePlace& place) const {
    if (options_.lines.empty() && options_.ptx_lines.empty()) return true;
    const bool in_main_file = options_.main_file.empty() || place.file == options_.main_file;
    return (in_main_file && std::ranges::find(options_.lines, place.line) != options_.lines.end()) ||
           std::ranges::find(options_.ptx_lines, place.ptx_line) != options_.ptx_lines.end();
  }

  std::uint32_t site_of(std::uint32_t instruction, const ptx::MemoryAccess& access) {
    const TileMap::Range tile = tiles_.find(access.space, access.addresses[std::countr_zero(access.lanes)]);
    const auto [entry, is_new] = sites_.try_emplace({instruction, access.access, access.space, tile.name},
                                                    static_cast<std::uint32_t>(window_.sites.size()));
    if (is_new) {
      SitePlace place = place_of(program_, access.instruction->origin, options_.main_file);
      const bool in_main_file = options_.main_file.empty() || place.file == options_.main_file;
      window_.sites.push_back({in_main_file ? place.line : 0, place.ptx_line,
                               operation_of(program_, *access.instruction, access.space, access.access),
                               access.lane_bytes, tiles_.name(tile.name), std::move(place.instruction)});
      site_bytes_ += sizeof(WindowSite) + window_.sites.back().instruction.size() +
                     window_.sites.back().tile.size() + window_.sites.back().operation.size();
    }
    return entry->second;
  }

  void record(const ptx::Warp& warp, const ptx::MemoryAccess& access, std::uint64_t execution,
              std::uint32_t site) {
    if (window_.accesses.size() == window_.accesses.capacity()) {
      // Doubling must not take the list beyond the limit.
      const std::uint64_t most = options_.byte_limit / sizeof(WindowAccess);
      window_.accesses.reserve(std::min<std::uint64_t>(most, window_.accesses.size() * 2 + 64));
    }
    WindowAccess& recorded = window_.accesses.emplace_back();
    recorded.execution = execution;
    recorded.site = site;
    recorded.warp = static_cast<std::uint32_t>(warp.index());
    recorded.lanes = access.lanes;
    for (ptx::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      recorded.addresses[lane] = access.addresses[lane];
    }
    if (access.space == Space::shared) {
      const SharedCost cost = shared_cost(access);
      recorded.wavefronts = cost.wavefronts;
      recorded.minimum = cost.minimum;
      recorded.degree = cost.degree;
    } else {
      const SectorCost cost = sector_cost(access.addresses, access.lanes, access.lane_bytes);
      recorded.wavefronts = cost.sectors;
      recorded.minimum = cost.minimum;
    }
  }

  const ptx::Program& program_;
  const TileMap& tiles_;
  const TraceWindowOptions& options_;
  RecordedWindow& window_;
  std::vector<bool> is_wanted_;  // by instruction
  std::map<std::tuple<std::uint32_t, Access, Space, std::uint32_t>, std::uint32_t> sites_;
  std::uint64_t site_bytes_ = 0;
};

Json to_json(const WindowSite& site) {
  return {{"line", site.line == 0 ? Json() : Json(site.line)},
          {"ptx_line", site.ptx_line},
          {"operation", site.operation},
          {"width_bytes", site.width_bytes},
          {"tile", site.tile},
          {"instruction", site.instruction}};
}

Json to_json(const WindowAccess& access) {
  Json addresses = Json::array();
  for (std::size_t lane = 0; lane < access.addresses.size(); ++lane) {
    const bool is_active = (access.lanes >> lane & 1u) != 0;
    addresses.push_back(is_active ? Json(access.addresses[lane]) : Json());
  }
  return {{"execution", access.execution},
          {"site", access.site},
          {"warp", access.warp},
          {"lanes", access.lanes},
          {"wavefronts", access.wavefronts},
          {"minimum", access.minimum},
          {"degree", access.degree == 0 ? Json() : Json(access.degree)},
          {"addresses", std::move(addresses)}};
}

}  // namespace

RecordedWindow record_window(const ptx::Program& program, const ptx::Launch& launch,
                             ptx::GlobalMemory& memory, const TraceWindowOptions& options) {
  RecordedWindow window;
  const TileMap tiles(program, options.tiles, memory);
  ptx::RunOptions run_options;
  run_options.blocks = {options.block};
  run_options.host_threads = 1;
  run_options.instructions_per_block = options.instructions_per_block;
  run_options.cancelled = options.cancelled;
  run_options.make_observer = [&] {
    return std::make_unique<WindowRecorder>(program, tiles, options, window);
  };
  const ptx::RunResult run = ptx::run(program, launch, memory, run_options);
  if (run.fault) window.findings.push_back(finding_of(program, *run.fault, options.main_file));
  return window;
}

Json to_json(const RecordedWindow& window, std::size_t first, std::size_t count) {
  Json sites = Json::array(), accesses = Json::array(), findings = Json::array();
  for (const WindowSite& site : window.sites) sites.push_back(to_json(site));
  const std::size_t begin = std::min(first, window.accesses.size());
  const std::size_t end = begin + std::min(count, window.accesses.size() - begin);
  for (std::size_t i = begin; i < end; ++i) accesses.push_back(to_json(window.accesses[i]));
  for (const Finding& finding : window.findings) findings.push_back(finding);
  return {{"matching", window.matching},    {"recorded", window.accesses.size()},
          {"truncated", window.truncated},  {"first", begin},
          {"sites", std::move(sites)},      {"accesses", std::move(accesses)},
          {"findings", std::move(findings)}};
}

}  // namespace tilescope
