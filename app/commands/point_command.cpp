#include "app/commands/point_command.hpp"

#include <algorithm>
#include <optional>

#include "app/commands/asking.hpp"
#include "app/commands/session_file.hpp"
#include "base/json.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {

void PointCommand::declare_options(CLI::App& app) {
  options_.declare(app);
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
  const Measurement point = [&] {
    ProgressLine line;
    return make_point(client, experiment, shown_on(line), time_limit);
  }();
  // A cancelled point says nothing of the kernel: sessions do not keep it.
  if (point.status != Status::cancelled) session.append(point, kernel ? &*kernel : nullptr);
  if (output_.json) {
    print_json(document_of(point));
  } else {
    print(text_of(point, installation));
  }
  if (!session.problem().empty()) {
    say("tilescope: the point is not in the session: " + session.problem());
    return ExitCode::cannot_run;
  }
  const bool has_fault = std::ranges::any_of(point.findings, is_fault);
  return has_fault ? ExitCode::check_failed : exit_code_of(point);
}

}  // namespace tilescope
