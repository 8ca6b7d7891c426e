#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/gui/panel_role.hpp"
#include "app/gui/panel_size.hpp"
#include "base/json_fwd.hpp"

namespace tilescope {

/// Tabs, or parts beside or above each other: a node of the tree that shares the window among the panels.
struct DockArea {
  enum class Split { none, columns, rows };

  Split split = Split::none;
  /// Relative to the other parts of the area that it belongs to.
  double share = 1;
  /// Ids, the one in front first; of an area that is not split.
  std::vector<std::string> panels;
  /// From the left or from the top, two or more; of an area that is split.
  std::vector<DockArea> parts;
  /// Parts that cannot all have their least sizes become tabs instead.
  bool tabs_when_small = false;
  /// [px] They do so below this height, or width of columns, too.
  double tabs_below = 0;

  bool operator==(const DockArea&) const = default;
};

/// With the pixels of a display of another scale.
DockArea at_scale(DockArea area, double scale);

/// Whether a panel stands somewhere in an area.
bool has_panel(const DockArea& area, const std::string& id);

/// A named arrangement of panels, which one file of assets/workspaces declares.
struct WorkspaceLayout {
  /// The file's name without ".json".
  std::string id;
  std::string title;
  /// A sentence for the tab's tooltip.
  std::string help;
  /// Places the workspace among the others, lowest first: the first nine have the keys Ctrl+1 to Ctrl+9.
  std::int64_t order = 0;
  /// The panel at the foot of which short messages appear; "" for the window's corner.
  std::string notices;
  /// A panel of its own leads newcomers: the steps of Help > First task are not drawn above it.
  bool hides_first_task = false;
  /// The roles for which the window opens this workspace.
  std::vector<PanelRole> shows;
  DockArea area;
};

/// Reads {"title", "help", "order", "notices", "hides_first_task", "shows", "layout"}. An area of the layout is one of
///   {"panels": [ID...]}   tabs
///   {"columns": [AREA...]}, {"rows": [AREA...]}   with "tabs_when_small": true if its parts may become tabs, and
///                                               "tabs_below": PIXELS where they do so before they are too small
/// each with its "share" (1 if absent). Throws DocumentError, also for a panel that stands there twice
/// and for notices at a panel that does not stand there.
WorkspaceLayout workspace_layout_from(const Json& document, const std::string& id);

struct InstalledWorkspaces {
  /// At least one: where no file can be used, a workspace with all panels as tabs.
  std::vector<WorkspaceLayout> layouts;
  /// Parts that were left out and why, in sentences that name file and place.
  std::vector<std::string> problems;
};

/// Reads the files by their order, then by name. A file that cannot be read is left out, and so is a panel that is
/// not in `panels`.
InstalledWorkspaces read_workspaces(const std::vector<std::filesystem::path>& files,
                                    const LeastSizes& panels);

/// The panels of an area in its order.
std::vector<std::string> panels_of(const DockArea& area);

/// Which panels are tabs of one dock, in any order.
using DockedTogether = std::set<std::set<std::string>>;
DockedTogether docked_together(const DockArea& area);
/// Whether `docks` have the area's panels as `fitted` may arrange them for some size.
bool is_arrangement_of(const DockArea& area, const DockedTogether& docks);

/// The area as it fits into `size`: every part has at least its least size, where there is room for all of them; where
/// there is not, the parts keep their shares, or become tabs if the area says so.
DockArea fitted(const DockArea& area, PanelSize size, const LeastSizes& least);

}  // namespace tilescope
