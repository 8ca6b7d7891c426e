#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/gui/panel_options.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "app/window/panel_export.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> cells_of(const std::string& text) {
  std::vector<Cells> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

/// The table of points, of the valid configurations of the first kernel on a device that is present.
class PointsTable : public Panels {
 protected:
  void open(const std::string& name = "here", bool timed = true, bool predicted = true) {
    make_present("L4");
    ASSERT_TRUE(explorer_->points().open_session(write_session(name, "L4", timed, predicted)));
  }

  /// Draws until the table has taken all rows, piece by piece.
  void show_all_rows(test_support::HeadlessGui& gui) {
    show(gui, "points");
    gui.frames(8);
  }

  /// As its menu copies it.
  static std::vector<Cells> copied(test_support::HeadlessGui& gui) {
    ImGui::SetClipboardText("");
    gui.click("points.menu");
    gui.click("points.menu.copy");
    return cells_of(ImGui::GetClipboardText());
  }

  /// The cells of a column from the top.
  static Cells column(test_support::HeadlessGui& gui, const std::string& header) {
    const std::vector<Cells> rows = copied(gui);
    Cells cells;
    if (rows.empty()) return cells;
    const auto found = std::find(rows.front().begin(), rows.front().end(), header);
    EXPECT_NE(found, rows.front().end()) << "no column " << header;
    const auto index = static_cast<std::size_t>(found - rows.front().begin());
    for (std::size_t i = 1; i < rows.size(); ++i)
      cells.push_back(rows[i].size() > index ? rows[i][index] : "");
    return cells;
  }

  static std::vector<double> latencies(test_support::HeadlessGui& gui) {
    std::vector<double> values;
    for (std::string cell : column(gui, "p50 [µs]")) {
      std::erase(cell, ',');
      if (!cell.empty()) values.push_back(std::stod(cell));
    }
    return values;
  }

  /// Whether the first rows have falling latencies; what is not correct is listed last.
  static ::testing::AssertionResult begins_descending(test_support::HeadlessGui& gui) {
    std::vector<double> values = latencies(gui);
    values.resize(std::min<std::size_t>(values.size(), 50));
    if (values.size() == 50 && std::is_sorted(values.rbegin(), values.rend()))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << ::testing::PrintToString(values);
  }

  void choose_kernel(const std::string& kernel) {
    Experiment experiment = explorer_->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = {};
    explorer_->selection().set_experiment(experiment);
  }

  void find_one_row(test_support::HeadlessGui& gui) {
    gui.click("points.filter");
    gui.type("block_m=16 num_warps=2 padded vec_width=4 block_n=32 shuffle light");
    ASSERT_TRUE(gui.has("row.0"));
    ASSERT_FALSE(gui.has("row.1"));
  }
};

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
  const std::vector<Cells> rows = cells_of(ImGui::GetClipboardText());
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
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(ranks[i], std::to_string(i + 1));
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
