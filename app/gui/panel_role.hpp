#pragma once

#include <string>

namespace tilescope {

/// An occasion for the window to bring a panel to the front by itself. A panel names the role that it plays, and a
/// workspace's file the roles that it is laid out for: the window looks for a role and knows no panel by name.
enum class PanelRole {
  /// The points of several kernels beside each other, once there are some.
  several_kernels,
  /// All points as a list, also points of files.
  all_points,
  /// A line of the kernel's code.
  code_line,
  /// The memory accesses of that line.
  line_accesses,
  /// A block that is stepped through, whose stops are lines too.
  stepped_block,
  /// Two configurations against each other.
  comparison,
  /// The choice of those two.
  compared_sides,
  /// Latencies, measured or predicted.
  latencies,
  /// The blocks that reside on an SM: what is known of a kernel before any latency.
  resident_blocks,
  /// The kernel file that is open.
  opened_file,
};

/// The role's name in workspace files. parse_panel_role throws std::invalid_argument with the names that there are.
std::string to_string(PanelRole role);
PanelRole parse_panel_role(const std::string& name);

}  // namespace tilescope
