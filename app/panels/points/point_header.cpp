#include "app/panels/points/point_header.hpp"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/point_findings.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "base/text/format.hpp"
#include "profiler/installation.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

void bold(const ImVec4& color, const std::string& text) {
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(color, text);
  ImGui::PopFont();
}

// With defaults filled in: a point that failed early may name fewer.
Configuration every_parameter(const Explorer& explorer, const Measurement& point) {
  const KernelDeclaration* kernel = explorer.kernels().find(point.kernel);
  const bool is_under_sliders = !explorer.shown().is_another() && kernel != nullptr;
  return is_under_sliders ? kernel->complete(point.parameters) : point.parameters;
}

// Whether the point has this kernel, these parameters, this shape and this compiler, on whatever device.
bool is_configuration_under_sliders(const Explorer& explorer, const Measurement& point) {
  const Experiment& here = explorer.selection().experiment();
  const KernelDeclaration& kernel = explorer.selection().kernel();
  return point.kernel == here.kernel && point.shape == here.shape &&
         point.provenance.compiler == here.compiler &&
         kernel.complete(point.parameters) == kernel.complete(here.parameters);
}

void draw_buttons(Explorer& explorer, const Measurement& point) {
  if (ImGui::Button("Copy as command line"))
    ImGui::SetClipboardText(command_line(point, shell_program(explorer.installation())).c_str());
  landmark("details.copy_command");
  if (!point.reason.empty()) {
    same_line_if_fits("Copy message");
    if (ImGui::Button("Copy message")) ImGui::SetClipboardText(point.reason.c_str());
    landmark("details.copy_reason");
  }
  // An exhibit's card has the button too.
  if (explorer.shown().is_another() || explorer.selection().kernel().card) return;
  same_line_if_fits("Run checkers");
  draw_run_checkers(explorer);
}

struct StatusDot {
  ImVec2 centre;
  float radius = 0;
};

/// Moves the cursor behind the place of a dot.
StatusDot begin_status_line() {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float radius = em() * 0.28F;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em());
  return {{corner.x + radius, corner.y + ImGui::GetTextLineHeight() / 2}, radius};
}

void draw_configuration(const Explorer& explorer, const Measurement& point) {
  const MonoText mono;
  text_wrapped(palette().muted, point.kernel + "  " + to_string(every_parameter(explorer, point)));
  text_wrapped(palette().muted, problem_words(point));
}

}  // namespace

void draw_elsewhere(Explorer& explorer, const Measurement& point, bool recorded) {
  const TintedBox box("elsewhere", palette().recorded);
  bold(palette().text, origin_heading(point, recorded));
  text_wrapped(palette().text, is_configuration_under_sliders(explorer, point)
                                   ? "The sliders are at this configuration."
                                   : "The sliders are at another configuration.");
  landmark("details.elsewhere");
  const bool is_known = explorer.kernels().find(point.kernel) != nullptr;
  ImGui::BeginDisabled(!is_known);
  const bool reproduces = ImGui::Button("Reproduce here");
  landmark("details.reproduce");
  ImGui::EndDisabled();
  help_tooltip(is_known ? "Moves the sliders to this configuration and shape. The device stays."
                        : "The catalogue has no kernel '" + point.kernel + "'.");
  ImGui::SameLine();
  const bool goes_back = ImGui::Button("Show current point");
  landmark("details.back");
  help_tooltip("Shows the point of the configuration under the sliders.");
  if (reproduces) explorer.shown().go_to(point);
  if (goes_back) explorer.shown().stop();
}

void draw_status(Explorer& explorer, const Measurement& point) {
  const bool unchecked = point.status == Status::ok && !point.error;
  const ImVec4 color = unchecked ? palette().accent : color_of(point.status);
  const StatusDot dot = begin_status_line();
  ImGui::GetWindowDrawList()->AddCircleFilled(dot.centre, dot.radius, to_u32(color));
  bold(color, status_words(point));
  landmark("details.status");
  if (!point.reason.empty()) text_wrapped(palette().text, point.reason);
  draw_configuration(explorer, point);
  draw_buttons(explorer, point);
}

void draw_measuring(Explorer& explorer, const Measurement& so_far, const std::string& heading) {
  // A ring where a point has a disc: distinguishable without colour.
  const StatusDot dot = begin_status_line();
  ImGui::GetWindowDrawList()->AddCircle(dot.centre, dot.radius, to_u32(palette().muted), 0,
                                        std::max(1.0F, em() * 0.1F));
  ImGui::PushFont(fonts().bold, 0);
  // In one line, as the status of a point.
  if (!text_in_one_line(palette().muted, heading)) help_tooltip(heading);
  ImGui::PopFont();
  landmark("details.measuring");
  draw_configuration(explorer, so_far);
  draw_buttons(explorer, so_far);
}

void draw_source_age(const Explorer& explorer, const Measurement& point) {
  if (!is_of_older_source(point, explorer.kernels().sources())) return;
  if (explorer.shown().is_another()) {
    text_wrapped(palette().muted, "Compiled from another version of the kernel's file than today's.");
    landmark("details.older_source");
    return;
  }
  const std::string error = explorer.selection().declaration_error();
  std::string text = "Older source: the kernel's file has changed since this point was compiled.";
  if (!error.empty()) {
    text += " It is measured again once the declaration can be read.";
  } else if (explorer.jobs().measuring()) {
    text += " It is being measured again.";
  }
  text_wrapped(palette().warning, text);
  landmark("details.older_source");
}

void draw_compared(Explorer& explorer, const std::vector<std::string>& differences, bool is_another) {
  const SharedMeasurement other = explorer.shown().compared();
  if (!other) return;
  const TintedBox box("compared", palette().accent);
  const bool recorded = explorer.points().is_recorded(other);
  bold(palette().text, !is_another           ? "This is the compared point"
                       : differences.empty() ? "Compared with the same settings"
                                             : "Compared with");
  landmark("details.compared");
  {
    const MonoText mono;
    for (const std::string& line : differences) text_wrapped(palette().text, line);
  }
  text_wrapped(palette().muted, is_another
                                    ? origin_heading(*other, recorded)
                                    : "Move a slider, or choose another point, to see how it differs.");
  if (ImGui::Button("Stop comparing")) explorer.shown().compare_with(nullptr);
  landmark("details.stop_comparing");
}

}  // namespace tilescope
