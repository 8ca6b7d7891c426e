// Columns of the table of points: their order, widths and settings, and the export.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/gui/panel_options.hpp"
#include "app/panels/tests/points_table_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "app/window/panel_export.hpp"

namespace tilescope {
namespace {

TEST_F(PointsTable, ASortedHeadingHasRoomForItsArrow) {
  open();
  test_support::HeadlessGui gui(2400, 400);
  show_all_rows(gui);
  const float header = ImGui::CalcTextSize("Occup. [%]").x;
  const std::vector<float> place = gui.rectangle("points.header.occupancy");
  EXPECT_GE(place[2] - place[0], header + 0.9F * ImGui::GetFontSize());
}

TEST_F(PointsTable, TheBestRowsComeFirstUntilAnOrderIsChosen) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  const Cells ranks = column(gui, "#");
  ASSERT_GT(ranks.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) {
    const std::string rank = std::to_string(i + 1);
    EXPECT_TRUE(ranks[i] == rank || ranks[i] == rank + "~") << ranks[i];
  }
  gui.click("points.header.p50");
  gui.click("points.header.p50");
  EXPECT_TRUE(begins_descending(gui));
  gui.click("points.header.p50");
  EXPECT_EQ(column(gui, "#"), ranks) << "a third click brings the best back";
}

TEST_F(PointsTable, AChosenOrderStaysWithOtherKernelsPointsAndSessions) {
  open();
  test_support::HeadlessGui gui(1280, 400);
  show_all_rows(gui);
  gui.right_click("points.header.p50");
  gui.click("points.column.descending");
  ASSERT_TRUE(begins_descending(gui));
  choose_kernel("tiled");
  gui.frames();
  EXPECT_TRUE(begins_descending(gui)) << "another kernel";
  Measurement slow = *explorer_->points().list().front();
  slow.status = Status::ok;
  add_latency(slow, 1e6);
  explorer_->points().add(std::make_shared<const Measurement>(slow), experiment_of(slow));
  gui.frames();
  EXPECT_EQ(latencies(gui).at(0), 1e6) << "a new point";
  open("another");
  gui.frames(10);
  EXPECT_TRUE(begins_descending(gui)) << "another session";
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(PointsTable, OrderAndColumnsStayAcrossARestart) {
  open();
  std::string saved;
  {
    test_support::HeadlessGui gui(2400, 640);
    const KeepPanelOptions keep(panels_);
    show_all_rows(gui);
    ASSERT_TRUE(gui.has("points.header.registers"));
    gui.click("points.header.p50");
    gui.click("points.header.p50");
    gui.right_click("points.header.registers");
    gui.click("points.column.hide");
    EXPECT_FALSE(gui.has("points.header.registers"));
    saved = ImGui::SaveIniSettingsToMemory();
  }
  panels_ = make_registered_panels();
  test_support::HeadlessGui gui(2400, 640);
  const KeepPanelOptions keep(panels_);
  ImGui::LoadIniSettingsFromMemory(saved.c_str(), saved.size());
  show_all_rows(gui);
  EXPECT_TRUE(gui.errors().empty());
  EXPECT_FALSE(gui.has("points.header.registers"));
  for (const char* tag : {"tflops", "limiter", "shared_memory", "max_error"})
    EXPECT_TRUE(gui.has(std::string("points.header.") + tag)) << tag;
  EXPECT_TRUE(begins_descending(gui));
}

/// ImGui's settings of a table as they were where one of its columns was not there.
std::string without_column(const std::string& saved, std::size_t column) {
  std::istringstream lines(saved);
  std::string text;
  std::size_t kept = 0;
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[Table]")) {
      const std::size_t comma = line.find(',');
      line = line.substr(0, comma + 1) + std::to_string(std::stoi(line.substr(comma + 1)) - 1) + "]";
    }
    if (line.starts_with("Column ")) {
      if (seen++ == column) continue;
      const std::size_t rest = line.find(' ', line.find_first_not_of(" ", 7));
      line = "Column " + std::to_string(kept++) + line.substr(rest);
    }
    text += line + "\n";
  }
  return text;
}

TEST_F(PointsTable, SavedColumnsStayWhenAMetricComes) {
  open();
  std::string saved;
  {
    test_support::HeadlessGui gui(2400, 640);
    const KeepPanelOptions keep(panels_);
    gui.show([this] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({2400, 600});
      panel("points").show(*explorer_, {});
    });
    gui.frames(10);
    gui.right_click("points.header.registers");
    gui.click("points.column.hide");
    saved = ImGui::SaveIniSettingsToMemory();
    ASSERT_NE(saved.find("[Table]"), std::string::npos);
  }
  panels_ = make_registered_panels();
  test_support::HeadlessGui gui(2400, 640);
  const KeepPanelOptions keep(panels_);
  constexpr std::size_t a_metric = 10;
  const std::string older = without_column(saved, a_metric);
  ASSERT_NE(older, saved);
  ImGui::LoadIniSettingsFromMemory(older.c_str(), older.size());
  gui.show([this] {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({2400, 600});
    panel("points").show(*explorer_, {});
  });
  gui.frames(10);
  EXPECT_TRUE(gui.errors().empty());
  EXPECT_FALSE(gui.has("points.header.registers"));
  EXPECT_FALSE(gui.has("points.header.spills")) << "hidden at first";
  for (const char* tag : {"tflops", "limiter", "shared_memory", "max_error"})
    EXPECT_TRUE(gui.has(std::string("points.header.") + tag)) << tag;
}

TEST_F(PointsTable, TheMenuOfAColumnShowsHidesAndResets) {
  open();
  test_support::HeadlessGui gui(2400, 1600);
  show_all_rows(gui);
  EXPECT_FALSE(gui.has("points.header.device")) << "the same in all rows";
  gui.right_click("points.header.p50");
  gui.click("points.column.list");
  gui.click("points.column.show.device");
  gui.click("points.column.show.tflops");
  EXPECT_TRUE(gui.has("points.header.device"));
  EXPECT_FALSE(gui.has("points.header.tflops"));
  gui.key(ImGuiKey_Escape);
  gui.key(ImGuiKey_Escape);
  gui.right_click("points.header.p50");
  gui.click("points.column.reset");
  gui.frames();
  EXPECT_FALSE(gui.has("points.header.device"));
  EXPECT_TRUE(gui.has("points.header.tflops"));
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(PointsTable, FiguresStandBeforeParametersAndTheRankStaysAtTheLeft) {
  open();
  test_support::HeadlessGui gui(640, 400);
  show_all_rows(gui);
  const Cells headers = copied(gui).at(0);
  const auto place = [&](const std::string& header) {
    return std::find(headers.begin(), headers.end(), header) - headers.begin();
  };
  EXPECT_LT(place("p50 [µs]"), place("Occup. [%]"));
  EXPECT_LT(place("Max error"), place("BLOCK_M"));
  EXPECT_EQ(place("#"), 0);
  const std::vector<float> before = gui.rectangle("points.header.rank");
  gui.wheel("row.2", -40, 0);
  ASSERT_TRUE(gui.has("points.header.rank"));
  EXPECT_EQ(gui.rectangle("points.header.rank"), before);
  EXPECT_FALSE(gui.has("points.header.p50"));
}

TEST_F(PointsTable, NoRowIsCutAtTheBottom) {
  open();
  for (float height = 200; height < 230; height += 3) {
    test_support::HeadlessGui gui(1280, height);
    show_all_rows(gui);
    gui.frames();
    const std::vector<float> first = gui.rectangle("row.0");
    int last = 0;
    while (gui.has("row." + std::to_string(last + 1))) ++last;
    const std::vector<float> lowest = gui.rectangle("row." + std::to_string(last));
    EXPECT_NEAR(lowest[3] - lowest[1], first[3] - first[1], 0.5) << height;
  }
}

TEST_F(PointsTable, AtItsLeastWidthThePanelDoesNotScroll) {
  open();
  ASSERT_TRUE(explorer_->points().open_recorded(write_session("recorded", "H200", true)));
  test_support::HeadlessGui gui(600, 400);
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  gui.show([this, padding] {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({480 + 2 * padding.x, 300});
    panel("points").show(*explorer_, {});
  });
  gui.frames(6);
  const ImGuiWindow* window = ImGui::FindWindowByName(panel("points").window_name("").c_str());
  ASSERT_NE(window, nullptr);
  EXPECT_FALSE(window->ScrollbarX);
  EXPECT_FALSE(window->ScrollbarY);
  EXPECT_LE(gui.rectangle("points.menu")[2], 480 + padding.x + 0.5F);
  EXPECT_TRUE(gui.has("points.recorded"));
}

TEST_F(PointsTable, ExportsTheListedRowsAsCsv) {
  open();
  test_support::HeadlessGui gui(1280, 720);
  PanelExport exporter;
  gui.show([&] {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1200, 600});
    panel("points").show(*explorer_, {});
    exporter.draw(panels_, *explorer_);
  });
  gui.frames(12);
  find_one_row(gui);
  gui.click("points.menu");
  gui.click("panel_menu.csv");
  gui.frames();
  const fs::path file = scratch_.folder() / "table.csv";
  gui.click("file_dialog.name");
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  gui.key(ImGuiKey_A);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  gui.type(file.string());
  gui.click("file_dialog.accept");
  gui.frames();
  std::ifstream input(file);
  std::string header;
  std::string record;
  std::string more;
  ASSERT_TRUE(std::getline(input, header)) << "no file";
  ASSERT_TRUE(std::getline(input, record));
  EXPECT_FALSE(std::getline(input, more)) << "the filter leaves one row";
  EXPECT_NE(header.find("p50 [µs],Origin,TFLOP/s"), std::string::npos) << header;
  EXPECT_NE(record.find(",padded,"), std::string::npos) << record;
  EXPECT_NE(record.find("flash_scalar"), std::string::npos) << "what all rows have is exported, too";
}

}  // namespace
}  // namespace tilescope
