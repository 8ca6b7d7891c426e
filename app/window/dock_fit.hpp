#pragma once

#include <imgui.h>

#include <map>

struct ImGuiDockNode;

namespace tilescope {

/// Shares a dock space among its docks when its size changes: each split keeps its ratio, except that no dock gets less
/// than its windows need while there is room for all. A ratio that was changed for want of room comes back with the
/// room; one that the person changed is the one that is kept.
class DockFit {
 public:
  /// [px] By the id of ImGui's window, of those that are open.
  using Needed = std::map<ImGuiID, ImVec2>;

  /// To be called before the dock space is submitted with another size, or with other windows, than in the frame
  /// before; `keeps_ratios`: the ratios have not been changed by the person since the last call.
  void apply(ImGuiID dockspace, ImVec2 size, const Needed& needed, bool keeps_ratios);
  /// The docks were built anew.
  void forget() { splits_.clear(); }

 private:
  struct Split {
    /// Of the first part's length in both.
    float ratio = 0.5F;
    /// [px] Of the first part, as it was set the last time; 0 for never.
    float length = 0;
  };

  void note_ratios(const ImGuiDockNode& node, bool keeps_ratios);
  void share(ImGuiDockNode& node, ImVec2 size, const Needed& needed);

  std::map<ImGuiID, Split> splits_;
};

}  // namespace tilescope
