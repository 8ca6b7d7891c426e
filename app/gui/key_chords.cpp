#include "app/gui/key_chords.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <vector>

namespace tilescope {

namespace {

bool is_modifier(ImGuiKey key) {
  switch (key) {
    case ImGuiMod_Ctrl:
    case ImGuiMod_Shift:
    case ImGuiMod_Alt:
    case ImGuiMod_Super:
      return true;
    default:
      return key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper;
  }
}

/// The first event that another frame must take.
const ImGuiInputEvent* end_of_this_frame(const ImVector<ImGuiInputEvent>& events) {
  bool any_pressed = false;
  return std::find_if(events.begin(), events.end(), [&](const ImGuiInputEvent& event) {
    if (event.Type != ImGuiInputEventType_Key) return false;
    if (is_modifier(event.Key.Key)) return any_pressed;
    any_pressed = any_pressed || event.Key.Down;
    return false;
  });
}

}  // namespace

void begin_frame_with_whole_chords() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const ImGuiInputEvent* end = end_of_this_frame(queue);
  const std::vector<ImGuiInputEvent> later(end, static_cast<const ImGuiInputEvent*>(queue.end()));
  queue.resize(static_cast<int>(end - queue.begin()));
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : later) queue.push_back(event);
}

}  // namespace tilescope
