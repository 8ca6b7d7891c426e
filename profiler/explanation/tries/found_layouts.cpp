#include "profiler/explanation/tries/found_layouts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "profiler/explanation/diagnose/parameter_change.hpp"
#include "profiler/explanation/layouts/row_pitch.hpp"

namespace tilescope {
namespace {

std::vector<SearchedTile> tiles_of(const RecordedBlock& block, const std::vector<TileRange>& ranges) {
  std::vector<SearchedTile> tiles;
  for (const TileRange& range : ranges) {
    const TileTotals totals = totals_of(block, range.name);
    tiles.push_back({range.name, totals.wavefronts, totals.excess, range.layout.has_value()});
  }
  std::stable_sort(tiles.begin(), tiles.end(), [](const SearchedTile& a, const SearchedTile& b) {
    return std::pair(a.excess, a.wavefronts) > std::pair(b.excess, b.wavefronts);
  });
  return tiles;
}

// [B] of a kernel's static arrays.
constexpr std::int64_t most_static_bytes = 48 * 1024;

// [B] As the source declares it, where the accesses keep to it.
std::int64_t element_bytes_of(const RecordedBlock& block, const TileRange& tile) {
  const std::int64_t common = common_element_bytes(block.recording, tile);
  const auto declared = std::ranges::find(block.source_tiles, tile.name, &SourceTile::name);
  const bool is_kept = declared != block.source_tiles.end() && common % declared->element_bytes == 0;
  return is_kept ? declared->element_bytes : common;
}

SolverQuestion solver_question(const LayoutQuestion& asked, const TileRange& tile,
                               const KernelDeclaration& kernel, const DeviceModel& device) {
  const RecordedBlock& block = *asked.block;
  SolverQuestion question;
  question.tile = tile;
  question.is_declared = tile.layout.has_value();
  question.shared_bytes = static_cast<std::int64_t>(block.shared_bytes());
  question.max_shared_bytes = device.shared_bytes_per_block_optin;
  // The compiler's own limit, whatever the device has.
  const bool is_static = tile.offset < static_cast<std::int64_t>(block.static_shared_bytes);
  if (block.is_of_file() && is_static)
    question.max_shared_bytes = most_static_bytes + static_cast<std::int64_t>(block.dynamic_shared_bytes);
  if (tile.layout) {
    question.elements = elements_of(*tile.layout);
    question.kernel_layouts =
        kernel_layouts(kernel, block.experiment.parameters, block.experiment.shape, device, tile,
                       static_cast<std::int64_t>(block.static_shared_bytes));
    // A parameter that is about layouts before one that changes something else too.
    std::stable_partition(question.kernel_layouts.begin(), question.kernel_layouts.end(),
                          [&](const KernelLayout& layout) {
                            const ParameterDeclaration* parameter = kernel.find_parameter(layout.parameter);
                            return parameter != nullptr && kind_of(*parameter) == ChangeKind::layout;
                          });
    return question;
  }
  const std::int64_t element = element_bytes_of(block, tile);
  question.counts_elements = block.is_of_file();
  question.elements = asked.pitch > 0 ? elements_by_pitch(tile.bytes, asked.pitch, element)
                                      : elements_in_line(tile.bytes, element);
  return question;
}

// Whether the answer takes fewer wavefronts at best, or as few with less padding.
bool is_better(const SolvedTile& answer, const SolvedTile& than) {
  const RankedLayout &a = answer.layouts.front(), &b = than.layouts.front();
  return std::pair(a.cost.wavefronts, a.padding_bytes) < std::pair(b.cost.wavefronts, b.padding_bytes);
}

// The rows of a file's tile without declared ones may be those that the lanes of its conflicts show: the ones with which
// the best layout is found.
std::shared_ptr<const SolvedTile> solve_by_lanes(const LayoutQuestion& asked, const TileRange& tile,
                                                 const KernelDeclaration& kernel, const DeviceModel& device,
                                                 const SolverControl& control) {
  std::shared_ptr<const SolvedTile> best;
  for (const std::int64_t distance : lane_distances(asked.block->recording, tile)) {
    LayoutQuestion with_rows = asked;
    with_rows.pitch = distance;
    if (distance % element_bytes_of(*asked.block, tile) != 0) continue;
    SolverQuestion question = solver_question(with_rows, tile, kernel, device);
    question.has_rows_of_lanes = true;
    auto solved = solve_layouts(asked.block->recording, std::move(question), control);
    if (!solved) return nullptr;
    if (!best || is_better(*solved, *best)) best = std::move(solved);
  }
  return best;
}

}  // namespace

TileTotals totals_of(const RecordedBlock& block, const std::string& tile) {
  TileTotals totals;
  for (std::size_t site = 0; site < block.recording.sites.size(); ++site) {
    if (!block.recording.sites[site].is_shared || block.recording.sites[site].tile != tile) continue;
    totals.wavefronts += block.totals[site].wavefronts;
    totals.excess += block.totals[site].excess();
    totals.executions += block.totals[site].executions;
  }
  return totals;
}

FoundLayouts find_layouts(const LayoutQuestion& question, const KernelDeclaration& kernel,
                          const DeviceModel& device, const SolverControl& control) {
  FoundLayouts found;
  found.block = question.block;
  try {
    const std::vector<TileRange> ranges = accessed_tiles(question.block->recording, question.block->tiles);
    found.tiles = tiles_of(*question.block, ranges);
    if (ranges.empty()) return found;
    const auto named = [&](const std::string& name) {
      return std::find_if(ranges.begin(), ranges.end(),
                          [&](const TileRange& range) { return range.name == name; });
    };
    auto tile = named(question.tile);
    if (tile == ranges.end()) tile = named(found.tiles.front().name);
    if (question.block->is_of_file() && !tile->layout && question.pitch == 0)
      found.solved = solve_by_lanes(question, *tile, kernel, device, control);
    if (found.solved || control.cancelled()) return found;
    found.solved =
        solve_layouts(question.block->recording, solver_question(question, *tile, kernel, device), control);
  } catch (const std::exception& error) {
    found.why_not = error.what();
  }
  return found;
}

}  // namespace tilescope
