#pragma once

#include <imgui.h>

#include <map>

struct ImGuiDockNode;

namespace tilescope {

/// Shares a dock space among its docks when its size changes: each split keeps its ratio, except that no dock
/// gets less than its windows need while there is room for all. A ratio that was changed for want of room
/// comes back with the room; a ratio that the user changed is kept.
class DockFit {
 public:
  /// [px] By the id of ImGui's window, of those that are open.
  using Needed = std::map<ImGuiID, ImVec2>;

  /// Called before the dock space is submitted with another size, or with other windows, than in the previous
  /// frame; `keeps_ratios`: the user has not changed the ratios since the last call.
  void apply(ImGuiID dockspace, ImVec2 size, const Needed& needed, bool keeps_ratios);
  /// The docks were built anew.
  void forget() { splits_.clear(); }

 private:
  struct Split {
    /// Share of the first part in the length of both.
    float ratio = 0.5F;
    /// [px] Length of the first part as it was last set; 0 for never.
    float length = 0;
  };

  void note_ratios(const ImGuiDockNode& node, bool keeps_ratios);
  void share(ImGuiDockNode& node, ImVec2 size, const Needed& needed);

  std::map<ImGuiID, Split> splits_;
};

}  // namespace tilescope
