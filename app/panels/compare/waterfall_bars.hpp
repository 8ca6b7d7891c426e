#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sessions/compare/waterfall.hpp"

namespace tilescope {

/// Texts of a bar's tooltip besides its figures.
struct WaterfallHelp {
  /// Explains a part; "" if there is no explanation.
  std::function<std::string(const std::string& part)> of_part;
  /// Names the effect of a click.
  std::function<std::string(const WaterfallBar& bar)> of_click;
};

/// Color of a part by what it does to B's time, as in reports. Parts differ by name alone.
ImVec4 color_of_change(const WaterfallBar& bar);

/// The bars below each other on one axis, from A's time to B's. Returns the bar that was clicked. Marks
/// "compare.bar.NAME".
std::optional<std::size_t> draw_waterfall(const Waterfall& waterfall, const Comparison& comparison,
                                          const WaterfallHelp& help);

/// Explains the marks: measured, recorded or predicted, the noise floor, saved and added time, the residual.
void draw_waterfall_legend(const Waterfall& waterfall, const Comparison& comparison);

}  // namespace tilescope
