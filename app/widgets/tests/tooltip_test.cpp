// Where a tooltip lies.

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "app/gui/landmarks.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

constexpr float width = 600, height = 300;

/// The tooltip of a button at this place.
ImRect tooltip_of_button_at(ImVec2 place) {
  test_support::HeadlessGui gui(width, height);
  gui.show([&] {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({width, height});
    ImGui::Begin("panel");
    ImGui::SetCursorScreenPos(place);
    ImGui::Button("field");
    landmark("field");
    help_tooltip_above("Some words on the field, which are longer than it.");
    ImGui::End();
  });
  gui.frames();
  gui.move_to("field");
  gui.frames(40);
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    if (window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0) return window->Rect();
  return {};
}

TEST(TooltipAbove, LiesAboveWithinTheWindow) {
  const ImRect of_left = tooltip_of_button_at({40, 200});
  EXPECT_GT(of_left.GetWidth(), 100);
  EXPECT_EQ(of_left.Min.x, 40);
  EXPECT_LE(of_left.Max.y, 200);
  const ImRect of_right = tooltip_of_button_at({width - 60, 200});
  EXPECT_LE(of_right.Max.x, width);
  EXPECT_LE(of_right.Max.y, 200);
}

TEST(TooltipAbove, IsBelowWhereThereIsNoRoom) {
  const ImRect below = tooltip_of_button_at({40, 20});
  EXPECT_GE(below.Min.y, 20);
}

}  // namespace
}  // namespace tilescope
