#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profiler/execution/memory/memory_counter.hpp"
#include "profiler/execution/memory/scaled_tallies.hpp"
#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

using Subject = MemoryCounter::Subject;
using simt::Access;
using simt::Space;

std::int64_t rounded(double value) {
  return std::llround(value);
}

std::string bytes_key(const Subject& subject) {
  const char* direction = "read";
  switch (subject.access) {
    case Access::store:
    case Access::matrix_store:
    case Access::async_copy_issue:
      direction = "write";
      break;
    case Access::atomic:
    case Access::atomic_count:
      direction = "atomic";
      break;
    default:
      break;
  }
  return std::string(name_of(subject.space)) + "_" + direction;
}

class SiteList {
 public:
  SiteList(const simt::Program& program, const TileMap& tiles, std::string_view main_file)
      : program_(program), tiles_(tiles), main_file_(main_file) {}

  void add(const Subject& subject, const ScaledTally& scaled) {
    const simt::Instruction& instruction = program_.code[subject.instruction];
    SitePlace place = place_of(program_, instruction.origin, main_file_);
    MemorySite site;
    site.operation = operation_of(program_, instruction, subject.space, subject.access);
    site.tile = tiles_.name(subject.tile);
    const Key key{place.file,
                  place.line,
                  place.line == 0 ? place.ptx_line : 0,
                  place.line == 0 && place.ptx_line == 0 ? place.address : std::nullopt,
                  innermost_places(place.inlined),
                  site.operation,
                  subject.lane_bytes,
                  site.tile};
    const auto [entry, is_new] = entries_.try_emplace(key);
    if (is_new) {
      site.line = place.line;
      site.file = std::move(place.file);
      site.inlined = std::move(place.inlined);
      site.width_bytes = subject.lane_bytes;
      site.ptx_line = place.ptx_line;
      site.address = place.address;
      site.instruction = std::move(place.instruction);
      entry->second.site = std::move(site);
    }
    entry->second.scaled.add(scaled);
  }

  // Most conflicts first, then most wavefronts, then by line.
  std::vector<MemorySite> sorted() const {
    std::vector<MemorySite> sites;
    for (const auto& [key, entry] : entries_) {
      MemorySite site = entry.site;
      site.executions = rounded(entry.scaled.executions);
      site.lanes = rounded(entry.scaled.lanes);
      site.wavefronts = rounded(entry.scaled.wavefronts);
      site.minimum = rounded(entry.scaled.minimum);
      site.conflicts = site.wavefronts - site.minimum;
      for (const auto& [degree, executions] : entry.scaled.degrees) {
        site.degrees[static_cast<std::int64_t>(degree)] = rounded(executions);
        site.worst_degree = std::max(site.worst_degree, static_cast<std::int64_t>(degree));
      }
      sites.push_back(std::move(site));
    }
    std::ranges::stable_sort(sites, [](const MemorySite& a, const MemorySite& b) {
      return std::tie(a.conflicts, a.wavefronts) > std::tie(b.conflicts, b.wavefronts);
    });
    return sites;
  }

 private:
  // File and line (the PTX's without a source line, the address without either, since nothing else says that two
  // instructions are one access), the places where it was inlined, operation, bytes of a lane, tile.
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::optional<std::int64_t>,
                         std::vector<std::string>, std::string, int, std::string>;
  struct Entry {
    MemorySite site;
    ScaledTally scaled;
  };
  const simt::Program& program_;
  const TileMap& tiles_;
  std::string_view main_file_;
  std::map<Key, Entry> entries_;
};

}  // namespace

MemoryCounts fold_counts(const simt::Program& program, const simt::Launch& launch, const simt::RunResult& run,
                         std::span<const MemoryCounter* const> counters, const TileMap& tiles,
                         const BlockWeights& weights, std::string_view main_file) {
  ScaledTally shared, global;
  std::map<std::string, double> bytes;
  SiteList sites(program, tiles, main_file);
  for (const auto& [subject, scaled] : scale(counters, weights)) {
    bytes[bytes_key(subject)] += scaled.lanes * subject.lane_bytes;
    if (subject.space == Space::local) sites.add(subject, scaled);
    if (subject.space != Space::shared && subject.space != Space::global) continue;
    ScaledTally& total = subject.space == Space::shared ? shared : global;
    total.executions += scaled.executions;
    total.wavefronts += scaled.wavefronts;
    total.minimum += scaled.minimum;
    sites.add(subject, scaled);
  }

  MemoryCounts counts;
  counts.kind = CountKind::counted;
  counts.counted_from = program.is_machine_code ? CountedFrom::machine_code : CountedFrom::ptx;
  counts.blocks_run = static_cast<std::int64_t>(run.blocks_run);
  counts.blocks_total = static_cast<std::int64_t>(launch.grid.count());
  counts.shared_instructions = rounded(shared.executions);
  counts.shared_wavefronts = rounded(shared.wavefronts);
  counts.shared_wavefronts_minimum = rounded(shared.minimum);
  counts.shared_conflicts = counts.shared_wavefronts - counts.shared_wavefronts_minimum;
  counts.global_requests = rounded(global.executions);
  counts.global_sectors = rounded(global.wavefronts);
  counts.global_sectors_minimum = rounded(global.minimum);
  for (const auto& [key, value] : bytes) counts.bytes[key] = rounded(value);

  const double instruction_growth = growth(counters, weights, &MemoryCounter::Class::warp_instructions);
  const auto grown = [](std::uint64_t count, double factor) {
    return rounded(static_cast<double>(count) * factor);
  };
  const std::vector<std::uint64_t> pipes = simt::instructions_by_pipe(program, run);
  for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
    if (pipes[pipe] == 0) continue;
    counts.instructions[std::string(name_of(static_cast<simt::Pipe>(pipe)))] =
        grown(pipes[pipe], instruction_growth);
  }
  counts.warp_instructions = grown(run.warp_instructions, instruction_growth);
  counts.barriers = grown(run.barriers, growth(counters, weights, &MemoryCounter::Class::barriers));
  counts.sites = sites.sorted();
  return counts;
}

}  // namespace tilescope
