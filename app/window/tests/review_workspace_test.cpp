// The workspace Review: the parts that a user needs to read a recorded session are large at usual screen
// sizes.

#include <gtest/gtest.h>

#include <map>

#include "app/gui/panel.hpp"
#include "app/window/workspace_layout.hpp"

namespace tilescope {
namespace {

using Sizes = std::map<std::string, PanelSize>;

/// The size of the area that each panel stands in, of a layout that was fitted into `size`.
void collect(const DockArea& area, const PanelSize& size, Sizes& sizes) {
  for (const std::string& panel : area.panels) sizes[panel] = size;
  for (const DockArea& part : area.parts) {
    PanelSize of_part = size;
    (area.split == DockArea::Split::columns ? of_part.width : of_part.height) = part.share;
    collect(part, of_part, sizes);
  }
}

class Review : public testing::Test {
 protected:
  Sizes sizes_in(const PanelSize& window) const {
    const DockArea layout = fitted(installed.layouts.at(0).area, window, least);
    Sizes sizes;
    collect(layout, window, sizes);
    return sizes;
  }
  static double area(const PanelSize& size) { return size.width * size.height; }
  static LeastSizes least_sizes() {
    LeastSizes sizes;
    for (const auto& panel : make_registered_panels()) sizes[panel->id()] = panel->least_size();
    return sizes;
  }

  const LeastSizes least = least_sizes();
  const InstalledWorkspaces installed =
      read_workspaces({std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/workspaces/review.json"}, least);
};

TEST_F(Review, HoldsEveryPanelThatReadsOrChoosesAPoint) {
  EXPECT_TRUE(installed.problems.empty()) << installed.problems.front();
  EXPECT_EQ(installed.layouts.at(0).title, "Review");
  const Sizes sizes = sizes_in({1920, 1020});
  for (const char* panel :
       {"ladder", "points", "details", "latency", "heat_map", "occupancy", "configuration"})
    EXPECT_TRUE(sizes.contains(panel)) << panel;
}

TEST_F(Review, GivesMostRoomToTheTableAndThePoint) {
  for (const PanelSize window : {PanelSize{1280, 660}, PanelSize{1920, 1020}, PanelSize{3840, 2100}}) {
    const Sizes sizes = sizes_in(window);
    EXPECT_GT(area(sizes.at("points")) + area(sizes.at("details")), 0.7 * area(window)) << window.width;
    EXPECT_GT(area(sizes.at("points")), 1.4 * area(sizes.at("latency"))) << window.width;
  }
}

TEST_F(Review, GivesEachPanelWhatItNeedsOnASmallScreen) {
  for (const auto& [panel, size] : sizes_in({1280, 660})) {
    EXPECT_GE(size.width, least.at(panel).width) << panel;
    EXPECT_GE(size.height, least.at(panel).height) << panel;
  }
}

TEST_F(Review, ShowsPlotsBesideEachOtherOnALargeScreenAndAsTabsOnASmallOne) {
  const Sizes small = sizes_in({1280, 660});
  EXPECT_EQ(small.at("latency"), small.at("heat_map"));
  EXPECT_EQ(small.at("latency").width, small.at("points").width);
  const Sizes large = sizes_in({1920, 1020});
  EXPECT_DOUBLE_EQ(large.at("latency").width + large.at("heat_map").width, large.at("points").width);
}

}  // namespace
}  // namespace tilescope
