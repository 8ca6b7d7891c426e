#include "app/commands/point_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/session_file.hpp"
#include "base/json.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {

void PointCommand::declare_options(CLI::App& app) {
  options_.declare(app);
  app.add_flag(
      "--try", tries_,
      "Try other values of one parameter, 24 at most, and print those that take less time; with bank "
      "conflicts also paddings and swizzles");
  output_.declare_json(app);
  output_.declare_session(app);
}

Json PointCommand::document_of(const Measurement& point) const {
  return point;
}

ExitCode PointCommand::run() {
  const Installation installation = find_installation();
  std::optional<KernelDeclaration> kernel;
  try {
    kernel = options_.find_kernel(installation);
  } catch (const DeclarationError&) {
    // The worker reads the same file: its point carries the complaint as the contract wants it.
  }
  const Experiment experiment = kernel ? options_.experiment(*kernel) : options_.unchecked_experiment();
  const std::chrono::milliseconds time_limit = options_.time_limit();
  say_problems(installation);
  Client client(worker_options(installation));
  check_device_name(experiment.device, installation, client);
  SessionFile session(output_.session, installation);

  listen_for_interrupts();
  Measurement point = [&] {
    ProgressLine line;
    return make_point(client, experiment, shown_on(line), time_limit);
  }();
  if (tries_ && kernel) try_changes_of(point, client, experiment, *kernel, installation);
  // A cancelled point says nothing of the kernel: sessions do not keep it.
  if (point.status != Status::cancelled) session.append(point, kernel ? &*kernel : nullptr);
  if (output_.json) {
    Json document = document_of(point);
    if (tries_) document["layouts"] = layouts_;
    print_json(document);
  } else {
    print(text_of(point, installation) + (tries_ ? tries_text_of(point) : ""));
  }
  if (!session.problem().empty()) {
    say("tilescope: the point is not in the session: " + session.problem());
    return ExitCode::cannot_run;
  }
  if (tries_ && interrupted()) return ExitCode::stopped;
  const bool has_fault = std::ranges::any_of(point.findings, is_fault);
  return has_fault ? ExitCode::check_failed : exit_code_of(point);
}

void PointCommand::try_changes_of(Measurement& point, Client& client, const Experiment& experiment,
                                  const KernelDeclaration& kernel, const Installation& installation) {
  if (point.status != Status::ok) return;
  const DeviceModel device = find_device(point.device.name, installation, client);
  ProgressLine line;
  const auto make = [&](const Experiment& changed) {
    return make_changed(client, changed, {}, options_.time_limit());
  };
  const TriedSubject subject{point,  experiment, kernel,
                             device, make,       [&](const std::string& text) { line.show(text); }};
  std::vector<TriedChange> tries = try_changes(client, subject);
  layouts_ = solve_conflicts(client, subject);
  point.tries = std::move(tries);
}

std::string PointCommand::tries_text_of(const Measurement& point) const {
  const std::string none = point.tries.empty() ? "Tries\n  " + why_no_tries(point) + "\n" : "";
  return none + layouts_section(layouts_);
}

}  // namespace tilescope
