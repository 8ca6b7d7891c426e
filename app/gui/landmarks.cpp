#include "app/gui/landmarks.hpp"

#include <imgui_internal.h>

#include <functional>
#include <map>

#include "base/json.hpp"

namespace tilescope {

namespace {

/// Belongs to the only window of the process, like ImGui's context.
struct Landmarks {
  bool enabled = false;
  std::map<std::string, ImRect, std::less<>> rectangles;
};

Landmarks& landmarks() {
  static Landmarks instance;
  return instance;
}

}  // namespace

void enable_landmarks() {
  landmarks().enabled = true;
}
bool landmarks_enabled() {
  return landmarks().enabled;
}
void begin_landmarks() {
  landmarks().rectangles.clear();
}

void landmark(std::string_view name) {
  if (!landmarks().enabled) return;
  landmark(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void landmark(std::string_view name, ImVec2 min, ImVec2 max) {
  if (!landmarks().enabled) return;
  ImRect visible(min, max);
  visible.ClipWith(ImGui::GetCurrentWindow()->ClipRect);
  if (visible.GetWidth() < 1 || visible.GetHeight() < 1) return;
  landmarks().rectangles.insert_or_assign(std::string(name), visible);
}

std::string landmarks_json() {
  Json json = Json::object();
  for (const auto& [name, area] : landmarks().rectangles) {
    json[name] = {area.Min.x, area.Min.y, area.Max.x, area.Max.y};
  }
  return json.dump();
}

}  // namespace tilescope
