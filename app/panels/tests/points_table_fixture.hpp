#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {

using Cells = std::vector<std::string>;

inline std::vector<Cells> cells_of_table(const std::string& text) {
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
    return cells_of_table(ImGui::GetClipboardText());
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

}  // namespace tilescope
