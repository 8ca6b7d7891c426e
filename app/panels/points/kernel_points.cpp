#include "app/panels/points/kernel_points.hpp"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/points/file_choices.hpp"

namespace tilescope {

std::vector<ParameterChoices> choices_of(const KernelDeclaration& kernel) {
  std::vector<ParameterChoices> choices;
  choices.reserve(kernel.parameters.size());
  for (const ParameterDeclaration& parameter : kernel.parameters)
    choices.push_back({parameter.name, parameter.values, parameter.default_value});
  return choices;
}

Slice slice_under_sliders(const Explorer& explorer, std::vector<std::string> free, bool all_configurations) {
  Slice slice;
  slice.shape = explorer.selection().experiment().shape;
  slice.configuration = explorer.selection().kernel().complete(explorer.selection().experiment().parameters);
  slice.free = std::move(free);
  slice.all_configurations = all_configurations;
  return slice;
}

bool KernelPoints::update(Explorer& explorer) {
  file_point_ = nullptr;
  file_kernel_.clear();
  parameters_ = choices_of(explorer.selection().kernel());
  const bool changed =
      index_.update(explorer.selection().kernel().name, parameters_, explorer.points().list(),
                    explorer.points().recorded(), explorer.kernels().sources());
  if (!index_.is_complete()) explorer.notices().draw_again();
  return changed;
}

bool KernelPoints::update_with_shown(Explorer& explorer) {
  SharedMeasurement shown = explorer.shown().point();
  if (!shown || !shown->arguments) return update(explorer);
  file_point_ = std::move(shown);
  return update_with_file(explorer);
}

bool KernelPoints::update_with_file(Explorer& explorer) {
  const Points& points = explorer.points();
  const std::string& kernel = file_point_->kernel;
  if (file_kernel_ != kernel || file_revision_ != points.revision()) {
    file_kernel_ = kernel;
    file_revision_ = points.revision();
    parameters_ = choices_of_points(kernel, points.list(), points.recorded());
    file_source_ = newest_source(kernel, points.list());
  }
  const bool changed =
      index_.update(kernel, parameters_, points.list(), points.recorded(), file_source_, KernelOrigin::file);
  if (!index_.is_complete()) explorer.notices().draw_again();
  return changed;
}

Slice KernelPoints::slice(const Explorer& explorer, std::vector<std::string> free,
                          bool all_configurations) const {
  if (!file_point_) return slice_under_sliders(explorer, std::move(free), all_configurations);
  return {file_point_->shape, file_configuration(*file_point_), std::move(free), all_configurations};
}

std::vector<std::string> KernelPoints::sizes() const {
  std::vector<std::string> names;
  if (!file_point_) return names;
  for (const ParameterChoices& parameter : parameters_)
    if (file_point_->arguments->contains(parameter.name)) names.push_back(parameter.name);
  return names;
}

const std::string& KernelPoints::device(const Explorer& explorer) const {
  return file_point_ ? file_point_->device.name : explorer.selection().device().name;
}

void empty_state_of_file(Explorer& explorer, const std::string& title, const std::string& text) {
  if (empty_state(title, text, "Show Kernel file")) explorer.panel_wanted_anywhere("kernel-file");
}

namespace {

float axis_combo_width() {
  return em() * 9;
}

}  // namespace

float axis_picker_width(const char* label) {
  return ImGui::CalcTextSize(label).x + ImGui::GetStyle().ItemSpacing.x + axis_combo_width();
}

ValueAxis axis_picker(const char* label, const char* mark, std::string& chosen, const std::string& other,
                      const std::vector<ParameterChoices>& parameters) {
  const auto is_chosen = [&](const ParameterChoices& parameter) {
    return parameter.name == chosen && parameter.name != other;
  };
  auto current = std::find_if(parameters.begin(), parameters.end(), is_chosen);
  if (current == parameters.end()) {
    current = std::find_if(parameters.begin(), parameters.end(),
                           [&](const ParameterChoices& parameter) { return parameter.name != other; });
  }
  if (current == parameters.end()) return {};
  chosen = current->name;

  ImGui::AlignTextToFramePadding();
  text_muted(label);
  ImGui::SameLine();
  ImGui::PushID(label);
  ImGui::SetNextItemWidth(axis_combo_width());
  if (ImGui::BeginCombo("##axis", chosen.c_str())) {
    for (const ParameterChoices& parameter : parameters) {
      if (parameter.name == other) continue;
      if (ImGui::Selectable(parameter.name.c_str(), parameter.name == chosen)) {
        chosen = parameter.name;
        current = parameters.begin() + (&parameter - parameters.data());
      }
      landmark(std::string(mark) + "." + parameter.name);
    }
    ImGui::EndCombo();
  }
  landmark(mark);
  ImGui::PopID();
  return make_axis(*current);
}

void FollowedSweep::follow(const Explorer& explorer, std::string& axis) {
  if (explorer.jobs().sweeps_started() == last_) return;
  last_ = explorer.jobs().sweeps_started();
  const std::vector<std::string>& swept = explorer.jobs().swept_parameters();
  if (swept.empty() || std::find(swept.begin(), swept.end(), axis) != swept.end()) return;
  axis = swept.front();
}

void draw_partial_tooltip(const PartialPoint& point) {
  if (!ImGui::BeginTooltip()) return;
  tooltip_body(to_string(point.so_far.parameters), partial_tooltip(point), "");
  ImGui::EndTooltip();
}

bool clicked_in_place() {
  const ImGuiIO& io = ImGui::GetIO();
  const float slack = io.MouseDragThreshold;
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] < slack * slack;
}

}  // namespace tilescope
