#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profiler/memory/memory_counter.hpp"
#include "profiler/memory/site_text.hpp"

namespace tilescope {
namespace {

using Subject = MemoryCounter::Subject;
using ptx::Access;
using ptx::Space;

// A tally over all classes, scaled.
struct Scaled {
  double executions = 0, lanes = 0, wavefronts = 0, minimum = 0;
  std::map<std::size_t, double> degrees;

  void add(const MemoryCounter::Tally& tally, double weight) {
    const auto scaled = [weight](std::uint64_t count) { return weight * static_cast<double>(count); };
    executions += scaled(tally.executions);
    lanes += scaled(tally.lanes);
    wavefronts += scaled(tally.wavefronts);
    minimum += scaled(tally.minimum);
    for (std::size_t degree = 0; degree < tally.degrees.size(); ++degree) {
      if (tally.degrees[degree] != 0) degrees[degree] += scaled(tally.degrees[degree]);
    }
  }
};

std::int64_t rounded(double value) {
  return std::llround(value);
}

void add(MemoryCounter::Tally& sum, const MemoryCounter::Tally& tally) {
  sum.executions += tally.executions;
  sum.lanes += tally.lanes;
  sum.wavefronts += tally.wavefronts;
  sum.minimum += tally.minimum;
  for (std::size_t degree = 0; degree < sum.degrees.size(); ++degree)
    sum.degrees[degree] += tally.degrees[degree];
}

// The integers of all host threads for each subject and class, then scaled class by class in one order.
std::map<Subject, Scaled> scale(std::span<const MemoryCounter* const> counters, const BlockWeights& weights) {
  std::map<Subject, std::vector<MemoryCounter::Tally>> sums;
  for (const MemoryCounter* counter : counters) {
    for (std::size_t c = 0; c < counter->classes().size(); ++c) {
      const auto& tallies = counter->classes()[c].tallies;
      for (std::size_t t = 0; t < tallies.size(); ++t) {
        auto& sum = sums[counter->subjects()[t]];
        sum.resize(weights.weights().size());
        add(sum[c], tallies[t]);
      }
    }
  }
  std::map<Subject, Scaled> all;
  for (const auto& [subject, classes] : sums) {
    for (std::size_t c = 0; c < classes.size(); ++c) all[subject].add(classes[c], weights.weights()[c]);
  }
  return all;
}

// The factor of a count when the blocks that ran stand for the grid.
double growth(std::span<const MemoryCounter* const> counters, const BlockWeights& weights,
              std::uint64_t MemoryCounter::Class::*count) {
  double scaled = 0, plain = 0;
  for (std::size_t c = 0; c < weights.weights().size(); ++c) {
    std::uint64_t sum = 0;
    for (const MemoryCounter* counter : counters) sum += counter->classes()[c].*count;
    scaled += weights.weights()[c] * static_cast<double>(sum);
    plain += static_cast<double>(sum);
  }
  return plain == 0 ? 1 : scaled / plain;
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
      direction = "atomic";
      break;
    default:
      break;
  }
  return std::string(name_of(subject.space)) + "_" + direction;
}

class SiteList {
 public:
  SiteList(const ptx::Program& program, const TileMap& tiles, std::string_view main_file)
      : program_(program), tiles_(tiles), main_file_(main_file) {}

  void add(const Subject& subject, const Scaled& scaled) {
    const ptx::Instruction& instruction = program_.code[subject.instruction];
    SitePlace place = place_of(program_, instruction.origin, main_file_);
    MemorySite site;
    site.operation = operation_of(program_, instruction, subject.space, subject.access);
    site.tile = tiles_.name(subject.tile);
    const Key key{place.file,
                  place.line,
                  place.line == 0 ? place.ptx_line : 0,
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
      site.instruction = std::move(place.instruction);
      entry->second.site = std::move(site);
    }
    Scaled& sum = entry->second.scaled;
    sum.executions += scaled.executions;
    sum.lanes += scaled.lanes;
    sum.wavefronts += scaled.wavefronts;
    sum.minimum += scaled.minimum;
    for (const auto& [degree, executions] : scaled.degrees) sum.degrees[degree] += executions;
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
  // File, line, without a line that of the PTX: then nothing says that two instructions are one access; where it was
  // inlined, operation, bytes of a lane, tile.
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::vector<std::string>, std::string,
                         int, std::string>;
  struct Entry {
    MemorySite site;
    Scaled scaled;
  };
  const ptx::Program& program_;
  const TileMap& tiles_;
  std::string_view main_file_;
  std::map<Key, Entry> entries_;
};

}  // namespace

MemoryCounts fold_counts(const ptx::Program& program, const ptx::Launch& launch, const ptx::RunResult& run,
                         std::span<const MemoryCounter* const> counters, const TileMap& tiles,
                         const BlockWeights& weights, std::string_view main_file) {
  Scaled shared, global;
  std::map<std::string, double> bytes;
  SiteList sites(program, tiles, main_file);
  for (const auto& [subject, scaled] : scale(counters, weights)) {
    bytes[bytes_key(subject)] += scaled.lanes * subject.lane_bytes;
    if (subject.space != Space::shared && subject.space != Space::global) continue;
    Scaled& total = subject.space == Space::shared ? shared : global;
    total.executions += scaled.executions;
    total.wavefronts += scaled.wavefronts;
    total.minimum += scaled.minimum;
    sites.add(subject, scaled);
  }

  MemoryCounts counts;
  counts.kind = CountKind::counted;
  counts.counted_from = CountedFrom::ptx;
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
  const std::vector<std::uint64_t> pipes = ptx::instructions_by_pipe(program, run);
  for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
    if (pipes[pipe] == 0) continue;
    counts.instructions[std::string(name_of(static_cast<ptx::Pipe>(pipe)))] =
        grown(pipes[pipe], instruction_growth);
  }
  counts.warp_instructions = grown(run.warp_instructions, instruction_growth);
  counts.barriers = grown(run.barriers, growth(counters, weights, &MemoryCounter::Class::barriers));
  counts.sites = sites.sorted();
  return counts;
}

}  // namespace tilescope
