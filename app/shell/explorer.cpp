#include "app/shell/explorer.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/shell/explorer_implementation.hpp"

namespace tilescope {

Explorer::Explorer(Installation installation, WorkerConnection::Options worker, std::function<void()> wake)
    : implementation_(std::make_unique<Implementation>(std::move(installation), std::move(worker), wake)) {}

Explorer::~Explorer() = default;

const std::vector<KernelDeclaration>& Explorer::kernels() const {
  return implementation_->kernels;
}
const std::vector<BrokenKernel>& Explorer::broken_kernels() const {
  return implementation_->broken_kernels;
}
const std::vector<DeviceModel>& Explorer::devices() const {
  return implementation_->devices;
}
const KernelDeclaration& Explorer::kernel() const {
  return implementation_->kernel();
}
const DeviceModel& Explorer::device() const {
  return implementation_->device();
}
const Experiment& Explorer::experiment() const {
  return implementation_->history.current();
}

void Explorer::set_experiment(Experiment experiment) {
  experiment = implementation_->as_declared(std::move(experiment));
  if (experiment == implementation_->history.current()) return;
  implementation_->history.push(std::move(experiment));
  implementation_->ask();
}

void Explorer::drag_parameter(const std::string& parameter, ParameterValue value) {
  Experiment experiment = implementation_->history.current();
  experiment.parameters[parameter] = std::move(value);
  if (experiment == implementation_->history.current()) return;
  implementation_->history.drag(std::move(experiment));
  implementation_->ask();
}

void Explorer::end_drag() {
  implementation_->history.end_drag();
}
bool Explorer::can_undo() const {
  return implementation_->history.can_undo();
}
bool Explorer::can_redo() const {
  return implementation_->history.can_redo();
}

void Explorer::undo() {
  if (!can_undo()) return;
  implementation_->history.undo();
  implementation_->ask();
}

void Explorer::redo() {
  if (!can_redo()) return;
  implementation_->history.redo();
  implementation_->ask();
}

std::string Explorer::why_invalid(const std::string& parameter, const ParameterValue& value) const {
  Configuration parameters = experiment().parameters;
  parameters[parameter] = value;
  return implementation_->why_invalid_with(parameters);
}

std::string Explorer::why_invalid() const {
  std::string error = implementation_->declaration_error();
  return error.empty() ? implementation_->why_invalid_with(experiment().parameters) : error;
}

void Explorer::watch_kernels() {
  implementation_->watch_kernels();
}
std::string Explorer::declaration_error() const {
  return implementation_->declaration_error();
}
std::uint64_t Explorer::kernels_revision() const {
  return implementation_->kernels_revision;
}
const CurrentSources& Explorer::current_sources() const {
  return implementation_->sources;
}

std::shared_ptr<const Measurement> Explorer::current_point() const {
  return implementation_->current;
}
const std::vector<Point>& Explorer::points() const {
  return implementation_->document.session().points;
}
const std::vector<Point>& Explorer::recorded() const {
  return implementation_->recorded;
}
std::uint64_t Explorer::revision() const {
  return implementation_->revision;
}

void Explorer::select_point(const Point& point) {
  implementation_->go_to(*point, false);
}

void Explorer::measure_again() {
  implementation_->ask(true);
}
bool Explorer::measuring() const {
  return !implementation_->asked_key.empty();
}

Explorer::SweepCount Explorer::count_sweep(const SweptParameters& swept) {
  return implementation_->count_sweep(swept);
}

void Explorer::start_sweep(const SweptParameters& swept) {
  implementation_->start_sweep(swept);
}

const SweepTask* Explorer::sweep() const {
  return implementation_->sweep.get();
}

void Explorer::cancel_sweep() {
  implementation_->cancel_sweep();
}

SessionDocument& Explorer::document() {
  return implementation_->document;
}
const SessionDocument& Explorer::document() const {
  return implementation_->document;
}

void Explorer::draw_again() {
  implementation_->configuration_changed = true;
}

bool Explorer::update() {
  Implementation& self = *implementation_;
  bool changed = std::exchange(self.configuration_changed, false);
  if (self.connection && self.connection->drain() > 0) changed = true;
  if (self.background.drain() > 0) changed = true;
  self.advance_sweep();
  self.take_saved();
  self.free_retired();
  for (std::string& error : self.document.take_errors()) {
    self.messages.push_back(std::move(error));
    changed = true;
  }
  return changed;
}

std::vector<std::string>& Explorer::messages() {
  return implementation_->messages;
}
const std::vector<std::string>& Explorer::messages() const {
  return implementation_->messages;
}

std::string Explorer::status_text() const {
  const Implementation& self = *implementation_;
  if (self.devices.empty()) return "No device is known: the device tables could not be read.";
  const DeviceModel& model = device();
  if (self.waits_for_devices && !model.present) return "Looking for a GPU in this machine";
  if (model.present) {
    return fmt::format("{} in this machine: resources, occupancy, correctness and latency are measured",
                       model.name);
  }
  return fmt::format(
      "{} is not in this machine: compiled for {}, checked and counted by the interpreter; no latency is "
      "measured{}",
      model.name, model.arch, recorded().empty() ? "" : ", recorded points are drawn behind");
}

std::string Explorer::activity() const {
  if (!implementation_->opening.empty()) return "opening " + opening();
  return implementation_->connection ? implementation_->connection->activity() : "";
}

const Installation& Explorer::installation() const {
  return implementation_->installation;
}

int Explorer::worker_pid() const {
  return implementation_->connection ? implementation_->connection->worker_pid() : 0;
}

}  // namespace tilescope
