#include "app/panels/compare/compare_items.hpp"

#include <imgui.h>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/gui/landmarks.hpp"

namespace tilescope {

void compare_items(Explorer& explorer, const SharedMeasurement& point) {
  for (const Side side : both_sides) {
    const std::string letter = to_string(side);
    const bool is_side = explorer.board().get<ComparisonPair>().choice(side).point == point;
    if (ImGui::MenuItem(("Compare as " + letter).c_str(), nullptr, is_side)) {
      explorer.board().get<ComparisonPair>().choose(side, point);
      if (!explorer.comparison_is_shown()) {
        explorer.notices().offer("The point is side " + letter + " of the comparison.", "Open Compare",
                                 [&explorer] { explorer.comparison_wanted(); });
      }
    }
    landmark(side == Side::a ? "row_menu.compare_a" : "row_menu.compare_b");
  }
}

}  // namespace tilescope
