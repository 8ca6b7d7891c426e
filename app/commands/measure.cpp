#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/measuring.hpp"
#include "app/commands/output.hpp"
#include "app/commands/session_file.hpp"

namespace tilescope {
namespace {

class Measure : public Command {
 public:
  std::string name() const override { return "measure"; }
  std::string summary() const override {
    return "One point: compile, check and time a configuration of a kernel";
  }
  void declare_options(CLI::App& app) override {
    options_.declare(app);
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    const Installation installation = find_installation();
    std::optional<KernelDeclaration> kernel;
    try {
      kernel = options_.find_kernel(installation);
    } catch (const DeclarationError&) {
      // The worker reads the same file: its point carries the complaint as the contract wants it.
    }
    const Experiment experiment = kernel ? options_.experiment(*kernel) : options_.unchecked_experiment();
    Measuring measuring(installation, options_.time_limit());
    check_device_name(experiment.device, installation, measuring);
    SessionFile session(output_.session, installation);

    listen_for_interrupts();
    const Measurement point = measure(measuring, experiment);
    // A cancelled point says nothing of the kernel: sessions do not keep it.
    if (point.status != Status::cancelled) session.append(point, kernel ? &*kernel : nullptr);
    if (output_.json) {
      print_json(point);
    } else {
      print(point_text(point));
    }
    if (!session.problem().empty()) {
      say("tilescope: the point is not in the session: " + session.problem());
      return ExitCode::cannot_run;
    }
    return exit_code_of(point);
  }

 private:
  static Measurement measure(Measuring& measuring, const Experiment& experiment) {
    ProgressLine line;
    return measuring.measure(experiment, [&line](const MeasureProgress& progress) {
      line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
    });
  }

  ExperimentOptions options_;
  OutputOptions output_;
};

const RegisterCommand registered{[] { return std::make_unique<Measure>(); }};

}  // namespace
}  // namespace tilescope
