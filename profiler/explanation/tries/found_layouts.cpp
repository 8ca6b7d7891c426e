#include "profiler/explanation/tries/found_layouts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "profiler/explanation/diagnose/parameter_change.hpp"

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

SolverQuestion solver_question(const LayoutQuestion& asked, const TileRange& tile,
                               const KernelDeclaration& kernel, const DeviceModel& device) {
  const RecordedBlock& block = *asked.block;
  SolverQuestion question;
  question.tile = tile;
  question.is_declared = tile.layout.has_value();
  question.shared_bytes = static_cast<std::int64_t>(block.shared_bytes());
  question.max_shared_bytes = device.shared_bytes_per_block_optin;
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
  const std::int64_t element = common_element_bytes(block.recording, tile);
  question.elements = asked.pitch > 0 ? elements_by_pitch(tile.bytes, asked.pitch, element)
                                      : elements_in_line(tile.bytes, element);
  return question;
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
    found.solved =
        solve_layouts(question.block->recording, solver_question(question, *tile, kernel, device), control);
  } catch (const std::exception& error) {
    found.why_not = error.what();
  }
  return found;
}

}  // namespace tilescope
