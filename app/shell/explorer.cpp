#include "app/shell/explorer.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <unordered_map>

#include "app/shell/kernel_sources.hpp"
#include "app/shell/present_devices.hpp"
#include "profiler/catalogue/constraints.hpp"

namespace tilescope {

namespace fs = std::filesystem;
using Point = std::shared_ptr<const Measurement>;

namespace {

const char* const default_kernel = "flash_scalar";
const char* const default_device = "L4";
const char* const slider_tag = "point";
const char* const sweep_tag = "sweep";

/// A point that says something about this machine at this time, such as a lost worker, is asked for again
/// when its configuration is returned to.
bool is_final(const Measurement& point) {
  return point.status == Status::ok || point.status == Status::unsupported ||
         is_about_the_kernel(point.status);
}

template <class T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

class Explorer::Implementation {
 public:
  Implementation(Installation place, WorkerConnection::Options worker, const std::function<void()>& wake)
      : installation(std::move(place)),
        document(installation.data / "sessions", wake),
        history(Experiment{}) {
    load_tables();
    history.reset(first_experiment());
    if (worker.command.empty()) return;
    connection = std::make_unique<WorkerConnection>(std::move(worker), wake);
    waits_for_devices = true;
    connection->list_devices(
        [this](const Json& list, const std::string& reason) { take_devices(list, reason); });
    ask();
  }

  void load_tables() {
    try {
      const Catalogue catalogue(installation.kernels);
      kernels = catalogue.kernels();
      broken_kernels = catalogue.broken();
    } catch (const std::exception& error) {
      messages.push_back(fmt::format("The kernels cannot be read. {}", error.what()));
    }
    try {
      devices = load_device_tables(installation);
    } catch (const std::exception& error) {
      messages.push_back(fmt::format("The device tables cannot be read. {}", error.what()));
    }
  }

  Experiment first_experiment() const {
    Experiment experiment;
    const KernelDeclaration* kernel = find_named(kernels, default_kernel);
    if (kernel == nullptr && !kernels.empty()) kernel = &kernels.front();
    if (kernel == nullptr) return experiment;
    experiment.kernel = kernel->name;
    experiment.parameters = kernel->complete({});
    return experiment;
  }

  // --- the configuration ---

  const KernelDeclaration& kernel() const {
    const KernelDeclaration* kernel = find_named(kernels, history.current().kernel);
    return kernel != nullptr ? *kernel : no_kernel;
  }

  const DeviceModel& device() const {
    const std::string& name = history.current().device;
    if (const DeviceModel* chosen = find_named(devices, name)) return *chosen;
    const auto present =
        std::find_if(devices.begin(), devices.end(), [](const DeviceModel& model) { return model.present; });
    if (present != devices.end()) return *present;
    const DeviceModel* table = find_named(devices, default_device);
    if (table != nullptr) return *table;
    return devices.empty() ? no_device : devices.front();
  }

  /// With every parameter and the device's name filled in: the key under which its point is found.
  std::string key(Experiment experiment) const {
    if (const KernelDeclaration* declared = find_named(kernels, experiment.kernel)) {
      experiment.parameters = declared->complete(experiment.parameters);
    }
    if (experiment.device.empty()) experiment.device = device().name;
    return identity(experiment);
  }

  std::string why_invalid_with(const Configuration& parameters) const {
    if (kernels.empty() || devices.empty()) return "";
    const Shape& shape = history.current().shape;
    if (std::string malformed = why_malformed(shape); !malformed.empty()) return malformed;
    try {
      return tilescope::why_invalid(kernel(), kernel().complete(parameters), shape, device());
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  /// After every change of the configuration: finds its point, or asks for it.
  void ask(bool although_there = false) {
    configuration_changed = true;
    const Experiment& experiment = history.current();
    current = nullptr;
    asked_key.clear();
    if (const std::string reason = why_invalid_with(experiment.parameters); !reason.empty()) {
      current = std::make_shared<const Measurement>(
          failed_measurement(experiment, Status::invalid_configuration, reason));
    } else if (const auto found = by_key.find(key(experiment)); found != by_key.end()) {
      current = found->second;
    }
    if (!connection) return;
    if (current &&
        (current->status == Status::invalid_configuration || (is_final(*current) && !although_there))) {
      connection->cancel(slider_tag);
      return;
    }
    if (kernels.empty()) return;
    asked_key = key(experiment);
    connection->request(slider_tag, experiment,
                        [this, asked = asked_key](const Point& point) { take_answer(point, asked); });
  }

  void take_answer(const Point& point, const std::string& asked) {
    // What the worker itself finds illegal is said where it was asked for and does not litter the session.
    if (point->status != Status::cancelled && point->status != Status::invalid_configuration)
      add(point, asked);
    if (asked != asked_key) return;
    current = point;
    asked_key.clear();
  }

  void add(const Point& point, const std::string& asked) {
    const bool known = document.session().sources.contains(point->provenance.source_sha256);
    document.add_point(
        point, known ? std::map<std::string, SourceFile>{} : sources_of(*point, kernels, installation));
    index(point);
    if (!asked.empty()) by_key[asked] = point;
    ++revision;
  }

  void index(const Point& point) { by_key[identity(experiment_of(*point))] = point; }

  void reindex() {
    by_key.clear();
    for (const Point& point : document.session().points) index(point);
    ++revision;
  }

  /// Goes to where `point` was measured; says what is not here any more.
  void go_to(const Measurement& point, bool as_new_history) {
    Experiment experiment = experiment_of(point);
    if (find_named(kernels, experiment.kernel) == nullptr) {
      messages.push_back(fmt::format(
          "The point is of the kernel '{}', which is not in this catalogue: its figures can be read, its "
          "configuration cannot be returned to.",
          experiment.kernel));
      return;
    }
    experiment.timing_budget_s = history.current().timing_budget_s;
    if (as_new_history) {
      history.reset(std::move(experiment));
    } else {
      history.push(std::move(experiment));
    }
    ask();
  }

  // --- the worker ---

  void take_devices(const Json& list, const std::string& reason) {
    waits_for_devices = false;
    if (!reason.empty()) {
      messages.push_back(fmt::format("The worker did not list this machine's GPUs: {}", reason));
      return;
    }
    const std::string before = device().name;
    try {
      add_present_devices(devices, list);
    } catch (const std::exception& error) {
      messages.push_back(fmt::format("The worker's list of GPUs cannot be read: {}", error.what()));
    }
    const Experiment& experiment = history.current();
    // Legal values depend on the device: what was asked for before it was known is judged again.
    if (experiment.device.empty() && device().name != before && !current) ask();
  }

  void advance_sweep() {
    if (!sweep) return;
    while (!connection->pending(sweep_tag)) {
      const auto experiment = sweep->next();
      if (!experiment) break;
      connection->request(sweep_tag, *experiment, [this](const Point& point) {
        if (point->status != Status::cancelled) add(point, "");
        if (sweep) sweep->record(*point);
      });
    }
    if (!sweep->finished()) return;
    if (!sweep->gave_up().empty()) messages.push_back(sweep->gave_up());
    sweep.reset();
  }

  Installation installation;
  std::vector<KernelDeclaration> kernels;
  std::vector<BrokenKernel> broken_kernels;
  std::vector<DeviceModel> devices;
  bool waits_for_devices = false;  ///< The worker has not yet said which of them are here.
  KernelDeclaration no_kernel;
  DeviceModel no_device;

  SessionDocument document;
  History history;
  std::unordered_map<std::string, Point> by_key;  ///< The newest point of each experiment.
  Point current;
  std::string asked_key;  ///< Of the configuration that the worker was asked for; "" when it answered.
  std::vector<Point> recorded;
  std::vector<fs::path> recorded_files;
  std::uint64_t revision = 0;
  bool configuration_changed = false;
  std::vector<std::string> messages;

  std::unique_ptr<SweepTask> sweep;
  std::unique_ptr<WorkerConnection> connection;  ///< Last: its callbacks use all of the above.
};

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
  if (const KernelDeclaration* declared = find_named(implementation_->kernels, experiment.kernel)) {
    experiment.parameters = declared->complete(experiment.parameters);
    // Another kernel has other parameters; those that it does not declare would make every point of it
    // unknown.
    std::erase_if(experiment.parameters,
                  [&](const auto& entry) { return declared->find_parameter(entry.first) == nullptr; });
  }
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
  return implementation_->why_invalid_with(experiment().parameters);
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

void Explorer::start_sweep(const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary) {
  Implementation& self = *implementation_;
  if (!self.connection) {
    self.messages.push_back("A sweep needs a worker, and this window was started without one.");
    return;
  }
  std::vector<Experiment> experiments;
  std::size_t already_there = 0;
  for (Configuration& configuration : expand_grid(kernel(), experiment().parameters, vary)) {
    if (!self.why_invalid_with(configuration).empty()) continue;
    Experiment experiment = self.history.current();
    experiment.parameters = std::move(configuration);
    const auto found = self.by_key.find(self.key(experiment));
    if (found != self.by_key.end() && is_final(*found->second)) {
      ++already_there;
    } else {
      experiments.push_back(std::move(experiment));
    }
  }
  if (experiments.empty()) {
    self.messages.push_back(
        already_there == 0
            ? "The sweep holds no legal configuration: choose other values to vary."
            : fmt::format("All {} points of the sweep are in the session already.", already_there));
    return;
  }
  cancel_sweep();
  self.sweep = std::make_unique<SweepTask>(std::move(experiments), already_there);
  self.advance_sweep();
}

const SweepTask* Explorer::sweep() const {
  return implementation_->sweep.get();
}

void Explorer::cancel_sweep() {
  if (!implementation_->sweep) return;
  implementation_->sweep.reset();
  implementation_->connection->cancel(sweep_tag);
}

SessionDocument& Explorer::document() {
  return implementation_->document;
}
const SessionDocument& Explorer::document() const {
  return implementation_->document;
}

void Explorer::new_session() {
  cancel_sweep();
  implementation_->document.new_session();
  implementation_->reindex();
  implementation_->ask();
}

bool Explorer::open_session(const fs::path& file) {
  std::error_code ignored;
  const fs::path examples = fs::weakly_canonical(installation().examples, ignored);
  if (!examples.empty() && fs::weakly_canonical(file, ignored).parent_path() == examples) {
    const std::size_t before = recorded().size();
    open_recorded(file);
    return recorded().size() > before;
  }
  try {
    implementation_->document.open(file);
  } catch (const std::exception& error) {
    implementation_->messages.push_back(error.what());
    return false;
  }
  cancel_sweep();
  implementation_->reindex();
  if (!points().empty()) {
    implementation_->go_to(*points().back(), true);
  } else {
    implementation_->ask();
  }
  return true;
}

bool Explorer::save_session(const fs::path& file) {
  try {
    if (file.empty()) {
      implementation_->document.save();
    } else {
      implementation_->document.save_as(file);
    }
    return true;
  } catch (const std::exception& error) {
    implementation_->messages.push_back(error.what());
    return false;
  }
}

void Explorer::open_recorded(const fs::path& file) {
  Implementation& self = *implementation_;
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(file, ignored);
  if (std::find(self.recorded_files.begin(), self.recorded_files.end(), canonical) !=
      self.recorded_files.end()) {
    return;
  }
  try {
    for (const Point& point : load_session(file).points) {
      Measurement copy = *point;
      if (copy.latency) copy.latency->kind = LatencyKind::recorded;
      self.recorded.push_back(std::make_shared<const Measurement>(std::move(copy)));
    }
    malloc_trim(0);  // See SessionDocument::open.
    self.recorded_files.push_back(canonical);
    ++self.revision;
  } catch (const std::exception& error) {
    self.messages.push_back(error.what());
  }
}

void Explorer::close_recorded() {
  implementation_->recorded.clear();
  implementation_->recorded_files.clear();
  ++implementation_->revision;
}

bool Explorer::update() {
  Implementation& self = *implementation_;
  bool changed = std::exchange(self.configuration_changed, false);
  if (self.connection && self.connection->drain() > 0) changed = true;
  self.advance_sweep();
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
  return implementation_->connection ? implementation_->connection->activity() : "";
}

const Installation& Explorer::installation() const {
  return implementation_->installation;
}

int Explorer::worker_pid() const {
  return implementation_->connection ? implementation_->connection->worker_pid() : 0;
}

}  // namespace tilescope
