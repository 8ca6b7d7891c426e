// Rows of the table of points: clicks, menus, the filter, and which row comes into view.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/panels/tests/points_table_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {
namespace {

TEST_F(PointsTable, AClickOnARowGoesToItsConfiguration) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  find_one_row(gui);
  gui.click("row.0");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("padded")));
}

TEST_F(PointsTable, ARowAnswersWhereItsFirstColumnIsHiddenOrScrolledAway) {
  open("here", false, false);
  test_support::HeadlessGui gui(700, 400);
  show_all_rows(gui);
  EXPECT_FALSE(gui.has("points.header.rank")) << "nothing is ranked without a latency and a prediction";
  gui.wheel("row.2", -40, 0);
  EXPECT_FALSE(gui.has("points.header.status"));
  find_one_row(gui);
  gui.click("row.0");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
}

TEST_F(PointsTable, WhatWasNotTimedIsRankedByItsPrediction) {
  open("here", false);
  test_support::HeadlessGui gui(1600, 400);
  show_all_rows(gui);
  EXPECT_TRUE(gui.has("points.header.rank"));
  EXPECT_TRUE(gui.has("points.header.predicted_p50"));
  EXPECT_FALSE(gui.has("points.header.p50")) << "no row has one";
}

TEST_F(PointsTable, AClickOnARecordedRowShowsItAndLeavesTheSliders) {
  ASSERT_TRUE(explorer_->points().open_recorded(write_session("recorded", "H200", true)));
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  const Experiment before = explorer_->selection().experiment();
  gui.click("row.3");
  ASSERT_TRUE(explorer_->shown().is_another());
  EXPECT_EQ(explorer_->shown().point()->device.name, "H200");
  EXPECT_EQ(explorer_->selection().experiment(), before);
}

TEST_F(PointsTable, TheMenuOfARowGoesToItsConfiguration) {
  ASSERT_TRUE(explorer_->points().open_recorded(write_session("recorded", "H200", true)));
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  find_one_row(gui);
  const std::string device = explorer_->selection().device().name;
  gui.right_click("row.0");
  gui.click("row_menu.go_to");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(explorer_->selection().device().name, device) << "the device never changes silently";
}

TEST_F(PointsTable, TheMenuOfARowCopiesACommandAndValues) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  find_one_row(gui);
  gui.right_click("row.0");
  gui.click("row_menu.copy_command");
  const std::string command = ImGui::GetClipboardText();
  EXPECT_NE(command.find(" measure flash_scalar "), std::string::npos) << command;
  EXPECT_NE(command.find("--set BLOCK_M=16"), std::string::npos) << command;
  gui.right_click("row.0");
  gui.click("row_menu.copy_values");
  const std::vector<Cells> rows = cells_of_table(ImGui::GetClipboardText());
  ASSERT_EQ(rows.size(), 2U);
  const auto layout = std::find(rows[0].begin(), rows[0].end(), "SMEM_LAYOUT");
  ASSERT_NE(layout, rows[0].end());
  EXPECT_EQ(rows[1].at(static_cast<std::size_t>(layout - rows[0].begin())), "padded");
  EXPECT_EQ(std::count(rows[0].begin(), rows[0].end(), "Device"), 0) << "a hidden column";
}

TEST_F(PointsTable, TheMenuOfARowRemovesItsPointButNoRecordedOne) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  const std::size_t count = explorer_->points().list().size();
  find_one_row(gui);
  gui.right_click("row.0");
  gui.click("row_menu.remove");
  EXPECT_EQ(explorer_->points().list().size(), count - 1);
  EXPECT_FALSE(gui.has("row.0"));

  ASSERT_TRUE(explorer_->points().open_recorded(write_session("recorded", "H200", true)));
  gui.frames();
  ASSERT_TRUE(gui.has("row.0"));
  gui.right_click("row.0");
  const int without_reason = gui.vertices();
  gui.move_to("row_menu.remove");
  gui.frames(30);
  EXPECT_GT(gui.vertices(), without_reason + 100) << "the tooltip says why";
  gui.click("row_menu.remove");
  EXPECT_TRUE(gui.has("row.0"));
  EXPECT_EQ(explorer_->points().recorded().size(), count);
}

TEST_F(PointsTable, TheMenuOfARowComparesItWithTheCurrentPoint) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  gui.click("row.0");
  const SharedMeasurement current = explorer_->jobs().current_point();
  ASSERT_TRUE(current);
  gui.right_click("row.0");
  gui.click("row_menu.compare");
  EXPECT_FALSE(explorer_->shown().compared()) << "a point is not compared with itself";
  gui.key(ImGuiKey_Escape);
  gui.right_click("row.2");
  gui.click("row_menu.compare");
  ASSERT_TRUE(explorer_->shown().compared());
  EXPECT_NE(explorer_->shown().compared(), current);
  EXPECT_EQ(explorer_->jobs().current_point(), current);
  EXPECT_EQ(gui.rectangle("row.compared"), gui.rectangle("row.2")) << "the row is marked";
  gui.right_click("row.2");
  gui.click("row_menu.compare");
  EXPECT_FALSE(explorer_->shown().compared()) << "the item stops comparing";
}

TEST_F(PointsTable, AFilterThatMatchesNothingIsClearedByAButton) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  EXPECT_FALSE(gui.has("points.clear_filter"));
  gui.click("points.filter");
  gui.type("nothing_has_this");
  EXPECT_FALSE(gui.has("row.0"));
  ASSERT_TRUE(gui.has("points.clear_filter"));
  gui.click("points.clear_filter");
  gui.frames();
  EXPECT_TRUE(gui.has("row.0"));
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(PointsTable, TheShownPointComesIntoViewOnceIfItWasChosenElsewhere) {
  ASSERT_TRUE(explorer_->points().open_recorded(write_session("recorded", "H200", true)));
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  ASSERT_TRUE(gui.has("row.0"));
  const auto first_row = [&] {
    int row = 0;
    while (row < 5000 && !gui.has("row." + std::to_string(row))) ++row;
    return row;
  };
  gui.wheel("row.3", 0, -2);
  const int scrolled = first_row();
  ASSERT_GT(scrolled, 3);
  gui.click("row." + std::to_string(scrolled + 4));
  gui.frames();
  EXPECT_EQ(first_row(), scrolled) << "a click in the table does not scroll it";
  const PointList& points = explorer_->points().recorded();
  const auto slowest = std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return (a->latency && a->status == Status::ok ? a->latency->p50_us : 0) <
           (b->latency && b->status == Status::ok ? b->latency->p50_us : 0);
  });
  explorer_->shown().show(*slowest);
  gui.frames();
  EXPECT_FALSE(gui.has("row.0")) << "its row is far below";
  const int first = first_row();
  ASSERT_LT(first, 5000);
  gui.wheel("row." + std::to_string(first + 2), 0, 5000);
  gui.frames();
  EXPECT_TRUE(gui.has("row.0")) << "it is not held in view";
}

}  // namespace
}  // namespace tilescope
