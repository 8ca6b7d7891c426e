#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "app/shell/explorer_implementation.hpp"
#include "app/shell/kernel_sources.hpp"
#include "app/shell/present_devices.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"

namespace tilescope {

namespace {

const char* const default_kernel = "flash_scalar";
const char* const default_device = "L4";

}  // namespace

Explorer::Implementation::Implementation(Installation place, WorkerConnection::Options worker,
                                         const std::function<void()>& wake_window)
    : installation(std::move(place)),
      wake(wake_window),
      document(installation.data / "sessions", wake),
      history(Experiment{}),
      background(wake) {
  load_tables();
  history.reset(first_experiment());
  if (worker.command.empty()) return;
  connection = std::make_unique<WorkerConnection>(std::move(worker), wake);
  waits_for_devices = true;
  connection->list_devices(
      [this](const Json& list, const std::string& reason) { take_devices(list, reason); });
  ask();
}

Explorer::Implementation::~Implementation() {
  if (counted) counted->stop = true;
}

void Explorer::Implementation::load_tables() {
  try {
    const Catalogue catalogue(installation.kernels);
    kernels = catalogue.kernels();
    broken_kernels = catalogue.broken();
  } catch (const std::exception& error) {
    kernels_problem = error.what();
    messages.push_back(fmt::format("The kernels cannot be read. {}", error.what()));
  }
  try {
    devices = load_device_tables(installation);
  } catch (const std::exception& error) {
    messages.push_back(fmt::format("The device tables cannot be read. {}", error.what()));
  }
}

Experiment Explorer::Implementation::first_experiment() const {
  Experiment experiment;
  const KernelDeclaration* first = find_named(kernels, default_kernel);
  if (first == nullptr && !kernels.empty()) first = &kernels.front();
  if (first == nullptr) return experiment;
  experiment.kernel = first->name;
  experiment.parameters = first->complete({});
  return experiment;
}

const KernelDeclaration& Explorer::Implementation::kernel() const {
  const KernelDeclaration* chosen = find_named(kernels, history.current().kernel);
  return chosen != nullptr ? *chosen : no_kernel;
}

const DeviceModel& Explorer::Implementation::device() const {
  const std::string& name = history.current().device;
  if (const DeviceModel* chosen = find_named(devices, name)) return *chosen;
  const auto present =
      std::find_if(devices.begin(), devices.end(), [](const DeviceModel& model) { return model.present; });
  if (present != devices.end()) return *present;
  const DeviceModel* table = find_named(devices, default_device);
  if (table != nullptr) return *table;
  return devices.empty() ? no_device : devices.front();
}

Experiment Explorer::Implementation::as_declared(Experiment experiment) const {
  if (const KernelDeclaration* declared = find_named(kernels, experiment.kernel)) {
    experiment.parameters = declared->complete(experiment.parameters);
    // Another kernel, or another version of this one, has other parameters; those that it does not declare would make
    // every point of it unknown.
    std::erase_if(experiment.parameters,
                  [&](const auto& entry) { return declared->find_parameter(entry.first) == nullptr; });
  }
  return experiment;
}

std::string Explorer::Implementation::key(Experiment experiment) const {
  experiment = as_declared(std::move(experiment));
  if (experiment.device.empty()) experiment.device = device().name;
  return identity(experiment);
}

std::string Explorer::Implementation::why_invalid_with(const Configuration& parameters) const {
  if (kernels.empty() || devices.empty()) return "";
  const Shape& shape = history.current().shape;
  if (std::string malformed = why_malformed(shape); !malformed.empty()) return malformed;
  try {
    return tilescope::why_invalid(kernel(), kernel().complete(parameters), shape, device());
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string Explorer::Implementation::declaration_error() const {
  const auto found = kernel_errors.find(history.current().kernel);
  return found == kernel_errors.end() ? "" : found->second;
}

bool Explorer::Implementation::is_final(const Measurement& point) const {
  if (is_of_older_source(point, sources)) return false;
  // Not known of which source: the file may have been repaired since.
  if (point.status == Status::compile_failed && point.provenance.source_sha256.empty()) return false;
  const DeviceModel* model = find_named(devices, point.device.name);
  const bool could_be_timed = model != nullptr && model->present && !point.device.present;
  if (point.status == Status::ok || point.status == Status::unsupported) return !could_be_timed;
  // What says something about this machine at this time, such as a lost worker, is asked for again when its
  // configuration is returned to.
  return is_about_the_kernel(point.status);
}

void Explorer::Implementation::ask(bool although_there) {
  configuration_changed = true;
  history.amend(as_declared(history.current()));
  const Experiment& experiment = history.current();
  const std::string reason = why_invalid_with(experiment.parameters);
  const std::string error = declaration_error();
  const auto found = by_key.find(key(experiment));
  asked_key.clear();
  ++last_request;
  current = nullptr;
  if (!reason.empty()) {
    current = std::make_shared<const Measurement>(
        failed_measurement(experiment, Status::invalid_configuration, reason));
  } else if (found != by_key.end()) {
    current = found->second;
  } else if (!error.empty()) {
    current =
        std::make_shared<const Measurement>(failed_measurement(experiment, Status::compile_failed, error));
  }
  if (!connection) return;
  const bool there = found != by_key.end() && is_final(*found->second) && !although_there;
  if (there || !reason.empty() || !error.empty()) {
    connection->cancel(slider_tag);
    return;
  }
  if (kernels.empty() || !opening.empty()) return;
  asked_key = key(experiment);
  connection->request(slider_tag, experiment,
                      [this, asked = asked_key, request = last_request](const Point& point) {
                        take_answer(point, asked, request);
                      });
}

void Explorer::Implementation::take_answer(const Point& point, const std::string& asked,
                                           std::uint64_t request) {
  // What the worker itself finds invalid is said where it was asked for and does not litter the session.
  if (point->status != Status::cancelled && point->status != Status::invalid_configuration) add(point, asked);
  if (request != last_request) return;
  current = point;
  asked_key.clear();
}

void Explorer::Implementation::add(const Point& point, const std::string& asked) {
  const bool known = document.session().sources.contains(point->provenance.source_sha256);
  document.add_point(point,
                     known ? std::map<std::string, SourceFile>{} : sources_of(*point, kernels, installation));
  by_key[identity(experiment_of(*point))] = point;
  if (!asked.empty()) by_key[asked] = point;
  ++revision;
  // The worker compiled another file than the one that was read here: it was saved since, and not every file system
  // says so.
  if (watch && is_of_older_source(*point, sources)) watch->look_again();
}

void Explorer::Implementation::go_to(const Measurement& point, bool as_new_history) {
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

void Explorer::Implementation::take_devices(const Json& list, const std::string& reason) {
  waits_for_devices = false;
  if (!reason.empty()) {
    messages.push_back(fmt::format("The worker did not list this machine's GPUs: {}", reason));
    return;
  }
  const std::string before = device().name;
  const bool was_present = device().present;
  try {
    add_present_devices(devices, list);
  } catch (const std::exception& error) {
    messages.push_back(fmt::format("The worker's list of GPUs cannot be read: {}", error.what()));
  }
  // Valid values, and whether a point could be timed, depend on the device: what there is is judged again.
  const bool can_be_timed_now = !was_present && device().present && asked_key.empty();
  if (device().name != before || can_be_timed_now) ask();
}

void Explorer::Implementation::watch_kernels() {
  if (watch) return;
  FolderWatch::Callbacks callbacks;
  callbacks.changed = [this, former = kernels]() mutable {
    KernelFiles files = read_kernel_files(installation, former);
    former = files.kernels;
    background.hand_over([this, files = std::move(files)] { take_kernel_files(files); });
  };
  callbacks.failed = [this](const std::string& sentence) {
    background.hand_over([this, sentence] { messages.push_back(sentence); });
  };
  try {
    watch = std::make_unique<FolderWatch>(installation.kernels, std::move(callbacks));
  } catch (const std::exception& error) {
    messages.push_back(fmt::format("{}. Press F5 after saving a kernel's file.", error.what()));
  }
}

void Explorer::Implementation::take_kernel_files(KernelFiles files) {
  const std::string chosen = history.current().kernel;
  const KernelDeclaration* declared = find_named(kernels, chosen);
  if (declared != nullptr && find_named(files.kernels, chosen) == nullptr) {
    files.errors[chosen] =
        fmt::format("{} is gone, or declares a kernel of another name. Choose another kernel.",
                    declared->source_path.string());
    files.kernels.push_back(*declared);
  }
  const auto hash_in = [&](const CurrentSources& list) {
    const auto found = list.find(chosen);
    return found == list.end() ? std::string() : found->second;
  };
  const std::string before = hash_in(sources);
  const std::string error_before = declaration_error();
  kernels = std::move(files.kernels);
  broken_kernels = std::move(files.broken);
  sources = std::move(files.sources);
  kernel_errors = std::move(files.errors);
  if (!files.problem.empty() && files.problem != kernels_problem)
    messages.push_back(fmt::format("The kernels cannot be read again. {}", files.problem));
  kernels_problem = std::move(files.problem);
  ++kernels_revision;
  ++revision;
  configuration_changed = true;

  if (chosen.empty()) {
    history.reset(first_experiment());
    return ask();
  }
  // A request that runs compiles what was there when it began. The first reading changes nothing: what runs compiles it.
  const bool edited = !before.empty() && before != hash_in(sources);
  const bool outdated = asked_key.empty() && current && !is_final(*current);
  if (edited || outdated || error_before != declaration_error()) ask();
}

}  // namespace tilescope
