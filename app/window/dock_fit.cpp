#include "app/window/dock_fit.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace tilescope {

namespace {

float part_of(const ImVec2& size, ImGuiAxis axis) {
  return axis == ImGuiAxis_X ? size.x : size.y;
}

ImVec2 larger(const ImVec2& a, const ImVec2& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y)};
}

ImGuiAxis axis_of(const ImGuiDockNode& node) {
  return static_cast<ImGuiAxis>(node.SplitAxis);
}

bool has_two_parts(const ImGuiDockNode& node) {
  return node.ChildNodes[0] != nullptr && node.ChildNodes[0]->IsVisible && node.ChildNodes[1]->IsVisible;
}

ImVec2 size_needed(const ImGuiDockNode& node, const DockFit::Needed& needed) {
  ImVec2 size;
  if (node.ChildNodes[0] == nullptr) {
    for (const ImGuiWindow* window : node.Windows) {
      if (const auto found = needed.find(window->ID); found != needed.end())
        size = larger(size, found->second);
    }
    return size;
  }
  const ImVec2 first = size_needed(*node.ChildNodes[0], needed);
  const ImVec2 second = size_needed(*node.ChildNodes[1], needed);
  size = larger(first, second);
  if (!has_two_parts(node)) return size;
  const float separator = ImGui::GetStyle().DockingSeparatorSize;
  if (node.SplitAxis == ImGuiAxis_X) {
    size.x = first.x + separator + second.x;
  } else {
    size.y = first.y + separator + second.y;
  }
  return size;
}

/// Length of the first of two parts with this ratio, which need `first` and `second` of the length.
float length_of_first(float length, float ratio, float first, float second) {
  const float wanted = length * ratio;
  if (first + second <= length) return std::clamp(wanted, first, length - second);
  return length * first / (first + second);
}

}  // namespace

void DockFit::apply(ImGuiID dockspace, ImVec2 size, const Needed& needed, bool keeps_ratios) {
  ImGuiDockNode* root = ImGui::DockBuilderGetNode(dockspace);
  if (root == nullptr) return;
  note_ratios(*root, keeps_ratios);
  share(*root, size, needed);
}

void DockFit::note_ratios(const ImGuiDockNode& node, bool keeps_ratios) {
  if (node.ChildNodes[0] == nullptr) return;
  const ImGuiDockNode& first = *node.ChildNodes[0];
  const ImGuiDockNode& second = *node.ChildNodes[1];
  if (has_two_parts(node) && !(keeps_ratios && splits_.contains(node.ID))) {
    const ImGuiAxis axis = axis_of(node);
    // A layout that was read from the settings has not been laid out yet: then only SizeRef is known.
    const bool is_laid_out = part_of(first.Size, axis) > 0 && part_of(second.Size, axis) > 0;
    const float length = part_of(is_laid_out ? first.Size : first.SizeRef, axis);
    const float both = length + part_of(is_laid_out ? second.Size : second.SizeRef, axis);
    Split& split = splits_[node.ID];
    constexpr float rounding_px = 1.5F;
    const bool is_changed = std::abs(length - split.length) > rounding_px;
    if (is_changed && length > 0 && length < both) split = {length / both, length};
  }
  note_ratios(first, keeps_ratios);
  note_ratios(second, keeps_ratios);
}

void DockFit::share(ImGuiDockNode& node, ImVec2 size, const Needed& needed) {
  if (node.ChildNodes[0] == nullptr) return;
  ImGuiDockNode& first = *node.ChildNodes[0];
  ImGuiDockNode& second = *node.ChildNodes[1];
  ImVec2 first_size = size;
  ImVec2 second_size = size;
  const auto found = splits_.find(node.ID);
  if (has_two_parts(node) && found != splits_.end()) {
    const ImGuiAxis axis = axis_of(node);
    const float both = std::max(part_of(size, axis) - ImGui::GetStyle().DockingSeparatorSize, 2.0F);
    const float length = std::clamp(
        std::round(length_of_first(both, found->second.ratio, part_of(size_needed(first, needed), axis),
                                   part_of(size_needed(second, needed), axis))),
        1.0F, both - 1);
    found->second.length = length;
    const auto along = static_cast<std::size_t>(axis);
    first_size[along] = length;
    second_size[along] = both - length;
    first.Size[along] = first.SizeRef[along] = length;
    second.Size[along] = second.SizeRef[along] = both - length;
    first.WantLockSizeOnce = true;
  }
  share(first, first_size, needed);
  share(second, second_size, needed);
}

}  // namespace tilescope
