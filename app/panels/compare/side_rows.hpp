#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/widgets/parameter_slider.hpp"

namespace tilescope {

/// A parameter in the two sides of a comparison.
struct SideRow {
  std::string name;
  /// A slider of a live side that declares the parameter; none for others.
  std::array<std::optional<SliderView>, 2> sliders;
  /// The value; "" where the side does not have it.
  std::array<std::string, 2> values;
  /// Never while a side is empty.
  bool differs = false;
};

/// In the order of A's declaration, then what B alone has in the order of its own: a row keeps its place whatever the
/// values are.
std::vector<SideRow> side_rows(const Explorer& explorer);

}  // namespace tilescope
