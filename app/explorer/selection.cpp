#include "app/explorer/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {

namespace {

const char* const default_kernel = "flash_scalar";
const char* const default_device = "L4";

}  // namespace

Selection::Selection(const KernelList& kernels, std::vector<DeviceModel> devices, Notices& notices)
    : kernels_(kernels), notices_(notices), devices_(std::move(devices)), history_(Experiment{}) {
  history_.reset(first_experiment());
}

Experiment Selection::first_experiment() const {
  Experiment experiment;
  const KernelDeclaration* first = kernels_.find(default_kernel);
  if (first == nullptr && !kernels_.all().empty()) first = &kernels_.all().front();
  if (first == nullptr) return experiment;
  experiment.kernel = first->name;
  experiment.parameters = first->complete({});
  return experiment;
}

const KernelDeclaration& Selection::kernel() const {
  const KernelDeclaration* chosen = kernels_.find(experiment().kernel);
  return chosen != nullptr ? *chosen : no_kernel_;
}

const DeviceModel* Selection::find_device(const std::string& name) const {
  const auto found = std::find_if(devices_.begin(), devices_.end(),
                                  [&](const DeviceModel& device) { return device.name == name; });
  return found == devices_.end() ? nullptr : &*found;
}

const DeviceModel& Selection::device() const {
  if (const DeviceModel* chosen = find_device(experiment().device)) return *chosen;
  const auto present =
      std::find_if(devices_.begin(), devices_.end(), [](const DeviceModel& model) { return model.present; });
  if (present != devices_.end()) return *present;
  const DeviceModel* table = find_device(default_device);
  if (table != nullptr) return *table;
  return devices_.empty() ? no_device_ : devices_.front();
}

void Selection::set_experiment(Experiment experiment) {
  set(std::move(experiment), SideChoices(sides()));
}

void Selection::set_sides(SideChoices sides) {
  set(Experiment(experiment()), std::move(sides));
}

void Selection::set(Experiment experiment, SideChoices sides) {
  experiment = as_declared(std::move(experiment));
  const bool is_moved = !(experiment == history_.current());
  if (!is_moved && sides == history_.sides()) return;
  history_.push(Choices{std::move(experiment), std::move(sides)});
  if (!is_moved) return sides_changed();
  moved();
  changed();
}

void Selection::drag_sides(SideChoices sides) {
  if (sides == history_.sides()) return;
  if (!history_.dragging()) drags_sliders_ = false;
  history_.drag(Choices{Experiment(experiment()), std::move(sides)});
  sides_changed();
}

void Selection::drag_parameter(const std::string& parameter, ParameterValue value) {
  Experiment experiment = history_.current();
  experiment.parameters[parameter] = std::move(value);
  if (experiment == history_.current()) return;
  if (current_drag() == 0) ++drags_;
  drags_sliders_ = true;
  history_.drag(std::move(experiment));
  moved();
  changed();
}

void Selection::undo() {
  if (can_undo()) take_step(false);
}

void Selection::redo() {
  if (can_redo()) take_step(true);
}

void Selection::take_step(bool forward) {
  const Experiment before = experiment();
  forward ? history_.redo() : history_.undo();
  if (before == experiment()) return sides_changed();
  moved();
  changed();
}

std::optional<Experiment> Selection::listed_experiment(const Measurement& point) const {
  if (kernels_.find(point.kernel) == nullptr) {
    notices_.say(fmt::format(
        "The point is of the kernel '{}', which is not in this catalogue: its figures can be read, "
        "its configuration cannot be returned to.",
        point.kernel));
    return std::nullopt;
  }
  Experiment experiment = experiment_of(point);
  experiment.timing_budget_s = history_.current().timing_budget_s;
  return experiment;
}

void Selection::select_point(const Measurement& point) {
  std::optional<Experiment> experiment = listed_experiment(point);
  if (!experiment) return;
  history_.push(*std::move(experiment));
  changed();
}

void Selection::start_at(const Measurement& point) {
  std::optional<Experiment> experiment = listed_experiment(point);
  if (!experiment) return;
  history_.reset(*std::move(experiment));
  changed();
}

void Selection::start_with(Experiment experiment) {
  if (kernels_.find(experiment.kernel) == nullptr) return;
  history_.reset(as_declared(std::move(experiment)));
  changed();
}

void Selection::start_over() {
  history_.reset(first_experiment());
  changed();
}

std::string Selection::why_invalid(const std::string& parameter, const ParameterValue& value) const {
  Configuration parameters = experiment().parameters;
  parameters[parameter] = value;
  return why_invalid_with(parameters);
}

std::string Selection::why_invalid() const {
  std::string error = declaration_error();
  return error.empty() ? why_invalid_with(experiment().parameters) : error;
}

std::string Selection::why_invalid_with(const Configuration& parameters) const {
  if (kernels_.all().empty() || devices_.empty()) return "";
  return tilescope::why_invalid(kernel(), parameters, experiment().shape, device());
}

Experiment Selection::as_declared(Experiment experiment) const {
  if (const KernelDeclaration* declared = kernels_.find(experiment.kernel)) {
    experiment.parameters = declared->complete(experiment.parameters);
    // Another kernel, or another version of this one, has other parameters; those that it does not declare would make
    // every point of it unknown.
    std::erase_if(experiment.parameters,
                  [&](const auto& entry) { return declared->find_parameter(entry.first) == nullptr; });
  }
  return experiment;
}

Experiment Selection::complete(Experiment experiment) const {
  experiment = as_declared(std::move(experiment));
  if (experiment.device.empty()) experiment.device = device().name;
  return experiment;
}

void Selection::amend() {
  history_.amend(as_declared(history_.current()));
}

void Selection::add_present(const Devices::Answer& answer) {
  for (const DeviceModel& here : answer.present) {
    const DeviceModel* table = match_device(devices_, here.name);
    if (table == nullptr) {
      devices_.push_back(here);
      continue;
    }
    DeviceModel& device = devices_[static_cast<std::size_t>(table - devices_.data())];
    device.present = true;
    device.ordinal = here.ordinal;
  }
}

}  // namespace tilescope
