// The window finds panels and workspaces by their roles: the shipped files have them, and its code names none.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/explorer/points/recorded_examples.hpp"
#include "app/gui/panel.hpp"
#include "app/window/workspace_layout.hpp"
#include "base/regular_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path root = TILESCOPE_SOURCE_DIR;

class PanelRoles : public testing::Test {
 protected:
  static LeastSizes sizes_of(const std::vector<std::unique_ptr<Panel>>& panels) {
    LeastSizes sizes;
    for (const auto& panel : panels) sizes[panel->id()] = panel->least_size();
    return sizes;
  }
  const Panel* find(PanelRole role) const {
    const auto found = std::ranges::find_if(panels, [&](const auto& panel) { return panel->role() == role; });
    return found == panels.end() ? nullptr : found->get();
  }

  const std::vector<std::unique_ptr<Panel>> panels = make_registered_panels();
  const std::vector<WorkspaceLayout> layouts =
      read_workspaces(list_json_files(root / "assets/workspaces"), sizes_of(panels)).layouts;
};

TEST_F(PanelRoles, EachIsPlayedByAPanel) {
  for (const PanelRole role :
       {PanelRole::several_kernels, PanelRole::all_points, PanelRole::code_line, PanelRole::line_accesses,
        PanelRole::stepped_block, PanelRole::comparison, PanelRole::compared_sides, PanelRole::latencies,
        PanelRole::resident_blocks, PanelRole::opened_file})
    EXPECT_NE(find(role), nullptr) << to_string(role);
}

TEST_F(PanelRoles, AShippedWorkspaceHoldsThePanelsOfTheRolesThatItShows) {
  std::set<PanelRole> shown;
  for (const WorkspaceLayout& layout : layouts) {
    for (const PanelRole role : layout.shows) {
      ASSERT_NE(find(role), nullptr) << to_string(role);
      EXPECT_TRUE(has_panel(layout.area, find(role)->id())) << layout.id << " has no " << to_string(role);
      shown.insert(role);
    }
  }
  EXPECT_EQ(shown, (std::set<PanelRole>{PanelRole::several_kernels, PanelRole::line_accesses,
                                        PanelRole::comparison, PanelRole::opened_file}))
      << "the roles for which the window looks for a workspace";
}

/// The C++ files of the shell without its tests.
std::vector<fs::path> shell_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"app/gui", "app/window"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp") files.push_back(entry.path());
    }
  }
  return files;
}

TEST_F(PanelRoles, TheShellNamesNoPanelAndNoWorkspace) {
  std::set<std::string> ids;
  for (const auto& panel : panels) ids.insert(panel->id());
  for (const WorkspaceLayout& layout : layouts) ids.insert(layout.id);
  // Keys of the JSON that describes the window's state for tests.
  const std::set<std::string> keys = {"frame_cost.cpp: points", "state_file.cpp: execution",
                                      "state_file.cpp: memory", "state_file.cpp: points"};
  std::set<std::string> named;
  const std::vector<fs::path> files = shell_files();
  for (const fs::path& file : files) {
    const std::string text = read_regular_file(file, 1 << 20);
    for (const std::string& id : ids) {
      if (text.find('"' + id + '"') != std::string::npos) named.insert(file.filename().string() + ": " + id);
    }
  }
  EXPECT_EQ(named, keys);
  EXPECT_GT(files.size(), 40U);
  EXPECT_GT(ids.size(), 25U);
}

}  // namespace
}  // namespace tilescope
