#include "app/panels/points/points_filter.hpp"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

constexpr std::array statuses = {Status::ok,
                                 Status::unchecked,
                                 Status::wrong_result,
                                 Status::compile_failed,
                                 Status::launch_failed,
                                 Status::invalid_configuration,
                                 Status::unsupported,
                                 Status::timed_out,
                                 Status::worker_lost,
                                 Status::cancelled};

void draw_status_picker(std::optional<Status>& chosen) {
  const std::string all = "All statuses";
  const std::string shown = chosen ? status_label(*chosen) : all;
  if (ImGui::BeginCombo("##status", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable(all.c_str(), !chosen)) chosen.reset();
    for (const Status status : statuses) {
      if (ImGui::Selectable(status_label(status).c_str(), chosen == status)) chosen = status;
      landmark("points.status." + to_string(status));
    }
    ImGui::EndCombo();
  }
  landmark("points.status");
}

float checkbox_width(const char* label) {
  return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
}

}  // namespace

void draw_point_filter(PointFilter& filter, bool has_recorded, float room) {
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  const float status_width = em() * 9.5F;
  const float recorded_width = has_recorded ? checkbox_width("Recorded") + spacing : 0;
  const float left = ImGui::GetContentRegionAvail().x - status_width - spacing - recorded_width - room;
  ImGui::SetNextItemWidth(std::clamp(left, em() * 6, em() * 22));
  ImGui::InputTextWithHint("##filter", "Filter: BLOCK_M=64 causal", &filter.text);
  landmark("points.filter");
  help_tooltip(
      "Words that must all occur in the kernel, the configuration, the shape, the device or the status. "
      "NUM_WARPS=1 is that value alone.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(status_width);
  draw_status_picker(filter.status);
  if (!has_recorded) return;
  ImGui::SameLine();
  ImGui::Checkbox("Recorded", &filter.recorded);
  landmark("points.recorded");
  help_tooltip("Also list the points of recorded sessions.");
}

}  // namespace tilescope
