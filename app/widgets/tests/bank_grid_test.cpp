#include "app/widgets/bank_grid.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/widgets/colors.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

class Zoom : public ::testing::Test {
 protected:
  Zoom() { zoom_.set_area(640, 200, 800, 30); }
  BankGridZoom zoom_;
};

TEST_F(Zoom, StartsWithEverything) {
  EXPECT_TRUE(zoom_.is_whole());
  EXPECT_FLOAT_EQ(zoom_.cell_height(), 0.25F);
  EXPECT_FLOAT_EQ(zoom_.cell_width(), 20);
  EXPECT_EQ(zoom_.first_row(), 0);
  EXPECT_EQ(zoom_.end_row(), 800);
  EXPECT_EQ(zoom_.end_bank(), 32);
}

TEST_F(Zoom, KeepsWhatIsUnderTheMouse) {
  const double row = zoom_.row_at(77), bank = zoom_.bank_at(400);
  for (int i = 0; i < 20; ++i) zoom_.zoom(1.25F, 400, 77);
  EXPECT_NEAR(zoom_.row_at(77), row, 0.01);
  EXPECT_NEAR(zoom_.bank_at(400), bank, 0.01);
  EXPECT_FALSE(zoom_.is_whole());
  for (int i = 0; i < 30; ++i) zoom_.zoom(0.8F, 10, 10);
  EXPECT_TRUE(zoom_.is_whole());
  EXPECT_EQ(zoom_.end_row(), 800);
}

TEST_F(Zoom, ShowsAllBanksUntilCellsAreHalfAsHighAsWide) {
  while (zoom_.cell_height() < 8) {
    EXPECT_FLOAT_EQ(zoom_.cell_width(), 20);
    zoom_.zoom(1.1F, 0, 0);
  }
  zoom_.zoom(2, 0, 0);
  EXPECT_GT(zoom_.cell_width(), 20);
}

TEST_F(Zoom, EndsAtOneWord) {
  for (int i = 0; i < 200; ++i) zoom_.zoom(1.25F, 320, 100);
  EXPECT_GT(zoom_.cell_height(), 100);
  EXPECT_LE(zoom_.cell_height(), 200);
  EXPECT_LE(zoom_.cell_width(), 640);
  EXPECT_LE(zoom_.end_row() - zoom_.first_row(), 3);
  EXPECT_LE(zoom_.end_bank() - zoom_.first_bank(), 3);
}

TEST_F(Zoom, StaysInside) {
  zoom_.zoom(8, 0, 0);
  zoom_.pan(1000, 1000);
  EXPECT_EQ(zoom_.first_row(), 0);
  zoom_.pan(-1e6F, -1e6F);
  EXPECT_EQ(zoom_.end_row(), 800);
  EXPECT_EQ(zoom_.end_bank(), 32);
  zoom_.set_area(640, 200, 100, 30);
  EXPECT_LE(zoom_.end_row(), 100) << "a smaller memory";
  EXPECT_GE(zoom_.first_row(), 0);
}

TEST_F(Zoom, FitsATile) {
  zoom_.fit(100, 164, 0, 32);
  EXPECT_EQ(zoom_.first_row(), 100);
  EXPECT_GE(zoom_.end_row(), 164);
  EXPECT_LE(zoom_.end_row(), 170);
  EXPECT_EQ(zoom_.first_bank(), 0);
  EXPECT_EQ(zoom_.end_bank(), 32);
  zoom_.fit(700, 701, 8, 10);
  EXPECT_LE(zoom_.end_bank(), 12) << "two words of a row";
  EXPECT_GE(zoom_.first_bank(), 7);
}

TEST_F(Zoom, DoesNotStretchAFewRows) {
  zoom_.set_area(640, 200, 2, 30);
  EXPECT_FLOAT_EQ(zoom_.cell_height(), 30);
  EXPECT_FLOAT_EQ(zoom_.cell_width(), 20);
  EXPECT_EQ(zoom_.end_bank(), 32);
}

TileLayout padded_layout() {
  TileLayout layout{64, 64, 2, 72, {}};
  for (std::uint32_t row = 0; row < 64; ++row) {
    for (std::uint32_t column = 0; column < 64; ++column) layout.index.push_back(row * 72 + column);
  }
  return layout;
}

/// K in 64 padded rows, then V, then 512 B that no tile names.
class BankGridWidgetTest : public ::testing::TestWithParam<ThemeKind> {
 protected:
  BankGridWidgetTest() {
    gui_.show([this] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({900, 500});
      ImGui::Begin("panel");
      BankGridContents contents{grid_, touched_, revision_, coloring_, &counts_};
      contents.marked_byte = marked_;
      contents.highlighted_part = highlighted_;
      hovered_ = widget_.draw(contents, {width_, 400});
      ImGui::End();
    });
    gui_.frames();
  }
  ~BankGridWidgetTest() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  /// Corners of this color in all of the frame.
  static int corners(const ImVec4& color) {
    int count = 0;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& vertex : list->VtxBuffer) count += vertex.col == to_u32(color) ? 1 : 0;
    }
    return count;
  }
  ImVec4 color_of_part(std::size_t part) const { return color_of(grid_.parts()[part]); }

  test_support::HeadlessGui gui_{920, 520, 1, GetParam()};
  BankGrid grid_{0, 64 * 144 + 8192 + 512, {{"K", 0, 64 * 144, padded_layout()}, {"V", 64 * 144, 8192}}, {}};
  WordCounts counts_{std::vector<std::uint32_t>(5000, 0), std::vector<std::uint32_t>(5000, 0), 1, 1};
  std::vector<TouchedWord> touched_;
  std::optional<std::int64_t> marked_;
  std::optional<std::size_t> highlighted_;
  BankGridColoring coloring_ = BankGridColoring::tiles;
  std::uint64_t revision_ = 1;
  float width_ = 800;
  BankGridWidget widget_;
  std::optional<std::int64_t> hovered_;
};

TEST_P(BankGridWidgetTest, DrawsTilesWhereTheyLie) {
  EXPECT_GT(corners(color_of_part(0)), 0);
  EXPECT_GT(corners(color_of_part(1)), 0);
  const auto k = gui_.rectangle("shared_memory.part.K"), v = gui_.rectangle("shared_memory.part.V");
  const auto area = gui_.rectangle("plot.shared_memory");
  EXPECT_NEAR(v[1], k[3], 4) << "V begins in the row after K";
  EXPECT_NEAR(k[3] - k[1], (area[3] - area[1]) * 9216 / 17920, 4);
}

TEST_P(BankGridWidgetTest, FarAwayItDrawsRunsAndNotWords) {
  const int whole = gui_.vertices();
  EXPECT_LT(whole, 4 * 1000) << "4,480 words";
  grid_ = BankGrid(0, 228 << 10, {{"K", 0, 200 << 10}, {"V", 200 << 10, 28 << 10}}, {});
  ++revision_;
  gui_.frames();
  EXPECT_LT(gui_.vertices(), whole);
}

TEST_P(BankGridWidgetTest, TheByteUnderTheMouseIsTheOneDrawnThere) {
  gui_.move_to("plot.shared_memory");
  ASSERT_TRUE(hovered_);
  EXPECT_EQ(*hovered_ % 128, 64) << "between banks 15 and 16";
  EXPECT_NEAR(static_cast<double>(*hovered_) / 128, 70, 1) << "half of 140 rows";
  touched_ = {{21 * 32 + 7, 1, 1, 1}};
  gui_.frames();
  gui_.move_to("shared_memory.touched.679");
  ASSERT_TRUE(hovered_);
  EXPECT_EQ(*hovered_ / 4, 679);
}

TEST_P(BankGridWidgetTest, TheWheelZoomsAroundTheMouseAndADoubleClickResets) {
  touched_ = {{70 * 32 + 16, 1, 1, 1}};
  gui_.frames();
  gui_.move_to("shared_memory.touched.2256");
  const std::int64_t word = hovered_.value() / 4;
  for (int i = 0; i < 20; ++i) gui_.wheel("shared_memory.touched.2256", 0, 1);
  ASSERT_TRUE(hovered_);
  EXPECT_EQ(*hovered_ / 4, word);
  EXPECT_FALSE(widget_.zoom().is_whole());
  const auto cell = gui_.rectangle("shared_memory.touched.2256");
  EXPECT_GT(cell[2] - cell[0], 100);
  ImGui::GetIO().MouseDoubleClickTime = 5;  // a frame of the test takes 0.1 s
  gui_.click("shared_memory.touched.2256");
  gui_.click("shared_memory.touched.2256");
  EXPECT_TRUE(widget_.zoom().is_whole());
}

TEST_P(BankGridWidgetTest, ADragPans) {
  widget_.zoom().fit(40, 60, 0, 32);
  gui_.frames();
  const std::int64_t before = widget_.zoom().first_row();
  gui_.move_to("plot.shared_memory");
  gui_.press();
  const auto area = gui_.rectangle("plot.shared_memory");
  ImGui::GetIO().AddMousePosEvent((area[0] + area[2]) / 2, area[1] + 1);
  gui_.frames();
  gui_.release();
  EXPECT_GT(widget_.zoom().first_row(), before) << "dragged upwards";
}

TEST_P(BankGridWidgetTest, ACollisionLooksDifferentFromABroadcast) {
  const int bare = gui_.vertices();
  touched_ = {{100, 0xff, 1, 1}};
  gui_.frames();
  EXPECT_GT(gui_.vertices(), bare);
  EXPECT_EQ(corners(palette().error), 0);
  const auto narrow = gui_.rectangle("shared_memory.touched.100");
  touched_ = {{100, 1, 8, 2}};
  gui_.frames();
  EXPECT_GT(corners(palette().error), 0) << "filled, and a bar over its bank";
  const auto wide = gui_.rectangle("shared_memory.touched.100");
  EXPECT_GT(wide[2] - wide[0], narrow[2] - narrow[0]) << "small cells differ in shape, too";
}

TEST_P(BankGridWidgetTest, TheByteUnderTheMouseInAnotherPanelHasAFrame) {
  widget_.zoom().fit(0, 8, 0, 32);
  gui_.frames();
  const int bare = gui_.vertices();
  marked_ = 4 * 130;
  gui_.frames();
  EXPECT_GT(gui_.vertices(), bare);
  marked_ = 4 * 32 * 100;
  gui_.frames();
  EXPECT_EQ(gui_.vertices(), bare) << "in a row that is not seen";
}

TEST_P(BankGridWidgetTest, AHighlightedPartLeavesTheOthersFaint) {
  highlighted_ = 1;
  gui_.frames();
  EXPECT_GT(corners(color_of_part(1)), 0);
  const int with_tag = corners(color_of_part(0));
  highlighted_.reset();
  gui_.frames();
  EXPECT_GT(corners(color_of_part(0)), with_tag);
}

TEST_P(BankGridWidgetTest, HeatReplacesTheColorsOfTiles) {
  coloring_ = BankGridColoring::reads;
  counts_.reads[100] = 9;
  counts_.most_reads = 9;
  gui_.frames();
  EXPECT_EQ(corners(color_of_part(0)), 0);
  EXPECT_EQ(corners(color_of_part(1)), 0);
}

TEST_P(BankGridWidgetTest, TheMarkedAccessLeavesCountsVisible) {
  coloring_ = BankGridColoring::reads;
  counts_.most_reads = 9;
  // Neighbours: one frame goes around both.
  touched_ = {{100, 1, 2, 1}, {101, 2, 2, 2}};
  gui_.frames();
  EXPECT_TRUE(gui_.has("shared_memory.touched.100"));
  const int bars = corners(palette().error);
  EXPECT_EQ(bars, 8) << "over the banks; no word is filled";
  const int of_two = gui_.vertices();
  touched_ = {{100, 1, 2, 1}, {103, 2, 2, 2}};
  gui_.frames();
  EXPECT_GT(gui_.vertices(), of_two) << "two frames";
}

TEST_P(BankGridWidgetTest, BanksAreLabelledEvenlyAtAnyWidth) {
  for (float width = 240; width < 300; width += 0.7F) {
    width_ = width;
    gui_.frames();
    int step = 0;
    for (const int candidate : {1, 2, 4, 8}) {
      if (step == 0 && gui_.has("shared_memory.bank." + std::to_string(candidate))) step = candidate;
    }
    ASSERT_GT(step, 0) << width;
    for (int bank = 0; bank < 32; bank += step)
      EXPECT_TRUE(gui_.has("shared_memory.bank." + std::to_string(bank))) << bank << " at " << width;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, BankGridWidgetTest, ::testing::Values(ThemeKind::dark, ThemeKind::light),
                         [](const auto& theme) { return theme.param == ThemeKind::dark ? "Dark" : "Light"; });

}  // namespace
}  // namespace tilescope
