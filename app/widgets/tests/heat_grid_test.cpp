#include "app/widgets/heat_grid.hpp"

#include <gtest/gtest.h>
#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <vector>

#include "app/widgets/cell_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

/// Three columns and two rows of values over the whole scale.
class HeatGridTest : public ::testing::TestWithParam<ThemeKind> {
 protected:
  HeatGridTest() {
    view_.x = make_axis({"BLOCK_M", {std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}});
    view_.y = make_axis({"BLOCK_N", {std::int64_t{16}, std::int64_t{32}}});
    view_.cells.resize(6);
    for (std::size_t i = 0; i < 6; ++i) {
      view_.cells[i].state = HeatCell::State::value;
      view_.cells[i].value = static_cast<double>(i) * 20;
      view_.cells[i].text = "7";
    }
    view_.high = 100;
    view_.with_value = 6;
    gui_.show([this] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({600, 300});
      ImGui::Begin("panel");
      heat_grid({view_, current_, "conflicts [%]", false});
      ImGui::End();
    });
    gui_.frames();
  }
  ~HeatGridTest() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  /// How many corners of this colour were drawn inside a landmark.
  int corners(const ImVec4& color, const std::string& mark) const {
    const std::vector<float> at = gui_.rectangle(mark);
    int count = 0;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& vertex : list->VtxBuffer) {
        const bool inside =
            vertex.pos.x >= at[0] && vertex.pos.x <= at[2] && vertex.pos.y >= at[1] && vertex.pos.y <= at[3];
        if (inside && vertex.col == to_u32(color)) ++count;
      }
    }
    return count;
  }

  test_support::HeadlessGui gui_{620, 320, 1, GetParam()};
  HeatMapView view_;
  std::optional<std::size_t> current_;
};

TEST_P(HeatGridTest, TheCurrentCellHasADarkAndALightRingWithinIt) {
  EXPECT_FALSE(gui_.has("heat_map.current"));
  for (std::size_t cell = 0; cell < 6; ++cell) {
    current_.reset();
    gui_.frames();
    const std::string mark = "heat_map.cell." + view_.x.labels[cell % 3] + "." + view_.y.labels[cell / 3];
    const int dark = corners(dark_ring, mark);
    const int light = corners(light_ring, mark);
    current_ = cell;
    gui_.frames();
    EXPECT_EQ(gui_.rectangle("heat_map.current"), gui_.rectangle(mark));
    EXPECT_GE(corners(dark_ring, mark), dark + 8) << mark;
    EXPECT_GE(corners(light_ring, mark), light + 8) << mark;
  }
}

TEST_P(HeatGridTest, OneOfTheRingsIsSeenOnEveryColorOfTheMapAndOnTheEmptyCells) {
  std::vector<ImVec4> colors{palette().surface,
                             blend(wash(palette().error, tint_opacity), palette().surface)};
  for (int i = 0; i <= 256; ++i)
    colors.push_back(ImPlot::SampleColormap(static_cast<float>(i) / 256, palette().heat_map));
  for (const ImVec4& color : colors) {
    EXPECT_GE(std::max(contrast_ratio(dark_ring, color), contrast_ratio(light_ring, color)), 4.5);
  }
}

TEST_P(HeatGridTest, TheScaleExplainsItself) {
  gui_.move_to("heat_map.scale");
  const int without = gui_.vertices();
  gui_.frames(20);  // the mouse rests
  EXPECT_GT(gui_.vertices(), without + 4 * 40);
}

TEST_P(HeatGridTest, TheFirstCellIsNamedInTheMap) {
  const std::string mark = "heat_map.cell.8.16";
  const ImVec4 text = black_or_white_on(ImPlot::SampleColormap(0, palette().heat_map));
  const int without = corners(text, mark);
  view_.first = 0;
  view_.first_word = "lowest";
  gui_.frames();
  EXPECT_GE(corners(text, mark), without + 6 * 4);
}

INSTANTIATE_TEST_SUITE_P(Themes, HeatGridTest, ::testing::Values(ThemeKind::dark, ThemeKind::light),
                         [](const auto& theme) { return theme.param == ThemeKind::dark ? "dark" : "light"; });

}  // namespace
}  // namespace tilescope
