#include "app/window/workspace_layout.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "app/explorer/tests/scratch_folder.hpp"
#include "base/json_reader.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Split = DockArea::Split;

const LeastSizes known = {
    {"left", {200, 100}}, {"plot", {300, 250}}, {"map", {300, 250}}, {"table", {300, 150}}};

class WorkspaceFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& layout, int order = 10) {
    fs::create_directories(scratch.path());
    std::ofstream(scratch / name) << R"({"title": "T", "help": "h", "order": )" << order << R"(, "layout": )"
                                  << layout << "}";
    return scratch / name;
  }
  InstalledWorkspaces read(const std::string& layout) {
    return read_workspaces({write("one.json", layout)}, known);
  }
  /// The message about a file that is left out.
  std::string problem_of(const std::string& layout) {
    const InstalledWorkspaces installed = read(layout);
    return installed.problems.size() == 1 && installed.layouts[0].id == "all_panels" ? installed.problems[0]
                                                                                     : "";
  }
  void expect_said(const std::string& layout, const std::string& part) {
    const std::string problem = problem_of(layout);
    EXPECT_NE(problem.find(part), std::string::npos) << "wanted: " << part << "\nfound: " << problem;
    EXPECT_NE(problem.find("one.json"), std::string::npos) << problem;
  }

  ScratchFolder scratch;
};

TEST_F(WorkspaceFiles, HoldColumnsRowsAndTabs) {
  const InstalledWorkspaces installed = read(R"({"columns": [{"share": 0.25, "panels": ["left"]},
      {"share": 0.75, "tabs_when_small": true, "rows": [{"panels": ["plot", "map"]}, {"panels": ["table"]}]}]})");
  EXPECT_TRUE(installed.problems.empty());
  ASSERT_EQ(installed.layouts.size(), 1U);
  const WorkspaceLayout& layout = installed.layouts[0];
  EXPECT_EQ(layout.id, "one");
  EXPECT_EQ(layout.title, "T");
  EXPECT_EQ(layout.help, "h");
  EXPECT_EQ(layout.area.split, Split::columns);
  ASSERT_EQ(layout.area.parts.size(), 2U);
  EXPECT_EQ(layout.area.parts[0].share, 0.25);
  EXPECT_EQ(layout.area.parts[1].split, Split::rows);
  EXPECT_TRUE(layout.area.parts[1].tabs_when_small);
  EXPECT_EQ(layout.area.parts[1].parts[0].panels, (std::vector<std::string>{"plot", "map"}));
  EXPECT_EQ(panels_of(layout.area), (std::vector<std::string>{"left", "plot", "map", "table"}));
}

TEST_F(WorkspaceFiles, AreOrderedByTheirOrderThenByName) {
  const std::vector<fs::path> files = {write("a.json", R"({"panels": ["plot"]})", 20),
                                       write("b.json", R"({"panels": ["plot"]})", 10),
                                       write("c.json", R"({"panels": ["plot"]})", 10)};
  std::vector<std::string> ids;
  for (const WorkspaceLayout& layout : read_workspaces(files, known).layouts) ids.push_back(layout.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"b", "c", "a"}));
}

TEST_F(WorkspaceFiles, APanelThatThereIsNotIsSaidAndLeftOut) {
  const InstalledWorkspaces installed = read(
      R"({"rows": [{"panels": ["plt", "map"]}, {"columns": [{"panels": ["sass"]}, {"panels": ["table"]}]}]})");
  ASSERT_EQ(installed.problems.size(), 2U);
  const std::string file = (scratch / "one.json").string();
  EXPECT_EQ(
      installed.problems[0].find(
          file + ": /layout/rows/0/panels/0: there is no panel 'plt'; did you mean 'plot'? It is left out."),
      0U)
      << installed.problems[0];
  EXPECT_NE(installed.problems[1].find("/layout/rows/1/columns/0/panels/0: there is no panel 'sass'"),
            std::string::npos);
  ASSERT_EQ(installed.layouts.size(), 1U);
  const DockArea& area = installed.layouts[0].area;
  EXPECT_EQ(area.parts[0].panels, std::vector<std::string>{"map"});
  EXPECT_EQ(area.parts[1].panels, std::vector<std::string>{"table"}) << "a split of one part is that part";
  EXPECT_EQ(panels_of(read(R"({"panels": ["nothing"]})").layouts[0].area).size(), known.size());
}

TEST_F(WorkspaceFiles, WhatIsWrongNamesFileAndPlace) {
  expect_said(R"({"columns": [{"panels": ["plot"]}, {"share": "half", "panels": ["map"]}]})",
              "/layout/columns/1/share: expected a number");
  expect_said(R"({"columns": [{"panels": ["plot"]}, {"share": 0, "panels": ["map"]}]})",
              "/layout/columns/1/share: expected a number above 0");
  expect_said(R"({"rows": [{"panels": ["plot"]}]})", "/layout/rows: expected a list of two areas or more");
  expect_said(R"({"rows": [{"panels": ["plot"]}, {"colums": []}]})",
              "/layout/rows/1: an area has one of \"panels\", \"columns\" and \"rows\"");
  expect_said(R"({"panels": ["plot"], "rows": []})", "/layout: an area has one of");
  expect_said(R"({"panels": []})", "/layout/panels: the list is empty");
  expect_said(R"({"panels": ["plot", "plot"]})", "/layout: the panel 'plot' stands there twice");
  expect_said(R"("plot")", "/layout: expected an object");
  expect_said("{", "syntax error");
}

TEST_F(WorkspaceFiles, NoticesAreAtAPanelOfTheLayout) {
  const auto layout = [](const std::string& notices) {
    return workspace_layout_from({{"title", "T"},
                                  {"order", 1},
                                  {"notices", notices},
                                  {"layout", {{"panels", Json::array({"plot", "map"})}}}},
                                 "one");
  };
  EXPECT_EQ(layout("map").notices, "map");
  EXPECT_EQ(read(R"({"panels": ["plot"]})").layouts[0].notices, "");
  EXPECT_THROW(layout("table"), DocumentError);
}

TEST_F(WorkspaceFiles, OneThatLeadsNewcomersHidesTheFirstTask) {
  EXPECT_FALSE(read(R"({"panels": ["plot"]})").layouts[0].hides_first_task);
  const Json document{{"title", "T"},
                      {"order", 1},
                      {"hides_first_task", true},
                      {"layout", {{"panels", Json::array({"plot"})}}}};
  EXPECT_TRUE(workspace_layout_from(document, "one").hides_first_task);
}

TEST_F(WorkspaceFiles, SayWhichRolesTheyAreLaidOutFor) {
  const auto layout = [](const Json& shows) {
    const Json area{{"panels", Json::array({"plot"})}};
    return workspace_layout_from({{"title", "T"}, {"order", 1}, {"shows", shows}, {"layout", area}}, "one");
  };
  EXPECT_TRUE(read(R"({"panels": ["plot"]})").layouts[0].shows.empty());
  EXPECT_EQ(layout(Json::array({"comparison", "line_accesses"})).shows,
            (std::vector<PanelRole>{PanelRole::comparison, PanelRole::line_accesses}));
  try {
    layout(Json::array({"comparison", "plot"}));
    FAIL() << "a role that does not exist was read";
  } catch (const DocumentError& error) {
    EXPECT_EQ(error.place(), "/shows/1");
    EXPECT_NE(error.reason().find("'several_kernels'"), std::string::npos) << error.reason();
  }
}

TEST_F(WorkspaceFiles, WithoutAnyAllPanelsAreTabs) {
  const InstalledWorkspaces installed = read_workspaces({}, known);
  ASSERT_EQ(installed.layouts.size(), 1U);
  EXPECT_EQ(panels_of(installed.layouts[0].area).size(), known.size());
  const InstalledWorkspaces unreadable = read_workspaces({scratch / "nowhere.json"}, known);
  EXPECT_EQ(unreadable.layouts.size(), 1U);
  ASSERT_EQ(unreadable.problems.size(), 1U);
  EXPECT_NE(unreadable.problems[0].find("nowhere.json is left out: cannot be opened"), std::string::npos);
}

class FittedLayout : public testing::Test {
 protected:
  static DockArea tabs(double share, const std::string& panel) {
    DockArea area;
    area.share = share;
    area.panels = {panel};
    return area;
  }
  static DockArea split(Split direction, std::vector<DockArea> parts, double share = 1) {
    DockArea area;
    area.split = direction;
    area.share = share;
    area.parts = std::move(parts);
    return area;
  }
};

TEST_F(FittedLayout, GivesEachPartItsShare) {
  const DockArea area = split(Split::columns, {tabs(1, "left"), tabs(3, "plot")});
  const DockArea fit = fitted(area, {1600, 900}, known);
  EXPECT_DOUBLE_EQ(fit.parts[0].share, 400);
  EXPECT_DOUBLE_EQ(fit.parts[1].share, 1200);
}

TEST_F(FittedLayout, GivesNoPartLessThanItNeedsWhereThereIsRoom) {
  const DockArea plots = split(Split::rows, {tabs(1, "plot"), tabs(3, "table")}, 3);
  const DockArea fit = fitted(split(Split::columns, {tabs(1, "left"), plots}), {700, 600}, known);
  EXPECT_DOUBLE_EQ(fit.parts[0].share, 200);
  EXPECT_DOUBLE_EQ(fit.parts[1].share, 500);
  EXPECT_DOUBLE_EQ(fit.parts[1].parts[0].share, 250);
  EXPECT_DOUBLE_EQ(fit.parts[1].parts[1].share, 350);
}

TEST_F(FittedLayout, KeepsTheSharesWhereNotAllFit) {
  const DockArea fit = fitted(split(Split::rows, {tabs(1, "plot"), tabs(1, "map")}), {600, 400}, known);
  ASSERT_EQ(fit.parts.size(), 2U);
  EXPECT_DOUBLE_EQ(fit.parts[0].share, 200);
}

TEST_F(FittedLayout, MakesTabsOfWhatDoesNotFitIfTheLayoutSaysSo) {
  DockArea plots = split(Split::rows, {tabs(1, "plot"), tabs(1, "map")}, 2);
  plots.tabs_when_small = true;
  const DockArea area = split(Split::rows, {plots, tabs(1, "table")});
  const DockArea low = fitted(area, {600, 600}, known);
  EXPECT_EQ(low.parts[0].split, Split::none);
  EXPECT_EQ(low.parts[0].panels, (std::vector<std::string>{"plot", "map"}));
  EXPECT_DOUBLE_EQ(low.parts[0].share, 400);
  const DockArea high = fitted(area, {600, 900}, known);
  EXPECT_EQ(high.parts[0].split, Split::rows);
  EXPECT_DOUBLE_EQ(high.parts[0].parts[1].share, 300);
  DockArea earlier = area;
  earlier.parts[0].tabs_below = 601;
  EXPECT_EQ(fitted(earlier, {600, 900}, known).parts[0].split, Split::none) << "its 600 px are not enough";
  EXPECT_EQ(fitted(at_scale(earlier, 0.5), {600, 900}, known).parts[0].split, Split::rows);
}

TEST_F(FittedLayout, IsToldFromAnotherArrangementOfItsPanels) {
  DockArea plots = split(Split::rows, {tabs(1, "plot"), tabs(1, "map")});
  plots.tabs_when_small = true;
  const DockArea area = split(Split::columns, {plots, tabs(1, "table")});
  EXPECT_EQ(docked_together(area), (DockedTogether{{"plot"}, {"map"}, {"table"}}));
  EXPECT_TRUE(is_arrangement_of(area, docked_together(area)));
  EXPECT_TRUE(is_arrangement_of(area, {{"plot", "map"}, {"table"}})) << "as in a small window";
  EXPECT_FALSE(is_arrangement_of(area, {{"plot", "table"}, {"map"}}));
  EXPECT_FALSE(is_arrangement_of(area, {{"plot"}, {"table"}})) << "a panel floats";
  EXPECT_FALSE(is_arrangement_of(area, {{"plot"}, {"map"}, {"table"}, {"left"}})) << "one more is docked";
  DockArea fixed = area;
  fixed.parts[0].tabs_when_small = false;
  EXPECT_FALSE(is_arrangement_of(fixed, {{"plot", "map"}, {"table"}}));
}

}  // namespace
}  // namespace tilescope
