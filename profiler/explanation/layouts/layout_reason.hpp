#pragma once

#include <optional>
#include <string>

#include "profiler/explanation/layouts/layout_cost.hpp"

/// Sentences on why a layout works or fails, from what it does to the accesses of the recorded block.
namespace tilescope {

struct ReasonedLayout {
  const BlockRecording& recording;
  const TileAccesses& tile;
  const TileShape& shape;
  const std::vector<std::uint32_t>& places;
  /// None for places without a rule.
  const std::optional<CandidateLayout>& layout;
};

/// Why accesses cannot use it.
std::string why_cut(const ReasonedLayout& reasoned, const CutRun& cut);

/// Why it has the conflicts that it has. `example` is the access that has the most of them without padding and swizzle,
/// into TileAccesses::accesses: what a layout without conflicts repairs.
std::string why_it_costs(const ReasonedLayout& reasoned, const LayoutCost& cost, std::size_t example);

}  // namespace tilescope
