#include "profiler/explanation/layouts/kernel_layouts.hpp"

#include <algorithm>
#include <optional>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

bool has_same_elements(const TileLayout& a, const TileLayout& b) {
  return a.rows == b.rows && a.columns == b.columns && a.element_bytes == b.element_bytes;
}

std::optional<KernelLayout> layout_under(const KernelDeclaration& kernel, const Configuration& complete,
                                         const Shape& shape, const DeviceModel& device, const TileRange& tile,
                                         std::int64_t static_shared_bytes) {
  if (!why_invalid(kernel, complete, shape, device).empty()) return std::nullopt;
  try {
    const std::vector<TileRange> there = tile_ranges(kernel, complete, shape, device);
    const auto same = std::find_if(there.begin(), there.end(),
                                   [&](const TileRange& other) { return other.name == tile.name; });
    if (same == there.end() || !same->layout) return std::nullopt;
    if (!has_same_elements(*same->layout, *tile.layout) || same->layout->index == tile.layout->index)
      return std::nullopt;
    KernelLayout layout;
    layout.tile = *same;
    layout.tile.offset += static_shared_bytes;
    layout.shared_bytes =
        launch_geometry(kernel, complete, shape, device).dynamic_shared_bytes + static_shared_bytes;
    return layout;
  } catch (const DeclarationError&) {
    return std::nullopt;  // a declaration that fails for these values offers no layout
  }
}

}  // namespace

std::vector<KernelLayout> kernel_layouts(const KernelDeclaration& kernel, const Configuration& complete,
                                         const Shape& shape, const DeviceModel& device, const TileRange& tile,
                                         std::int64_t static_shared_bytes) {
  std::vector<KernelLayout> layouts;
  if (!tile.layout) return layouts;
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    for (const ParameterValue& value : parameter.values) {
      const auto now = complete.find(parameter.name);
      if (now != complete.end() && now->second == value) continue;
      Configuration changed = complete;
      changed[parameter.name] = value;
      auto layout = layout_under(kernel, changed, shape, device, tile, static_shared_bytes);
      if (!layout) continue;
      layout->parameter = parameter.name;
      layout->value = value;
      layouts.push_back(std::move(*layout));
    }
  }
  return layouts;
}

}  // namespace tilescope
