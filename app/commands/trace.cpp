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
#include "app/commands/trace_text.hpp"
#include "profiler/compile/kernel_source.hpp"

namespace tilescope {
namespace {

class Trace : public Command {
 public:
  std::string name() const override { return "trace"; }
  std::string summary() const override {
    return "Interpret a kernel: wavefronts, conflicts and sectors per source line; with --check races and "
           "other faults";
  }
  void declare_options(CLI::App& app) override {
    options_.declare(app);
    app.add_flag("--check", tracing_.check,
                 "Look for races, accesses out of bounds, reads of memory that nobody wrote, barriers that "
                 "not all reach");
    app.add_option(
           "--schedule-seed", tracing_.schedule_seed,
           "Run the warps in a random order of this seed, so that a race shows in the result (0: in order)")
        ->type_name("N");
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
    const Measurement point = trace(measuring, experiment);
    if (point.status != Status::cancelled) session.append(point, kernel ? &*kernel : nullptr);
    if (output_.json) {
      print_json(point);
    } else {
      const SourceStore sources(installation.cache / "sources");
      print(trace_text(point, sources.find(point.provenance.source_sha256)));
    }
    if (!session.problem().empty()) {
      say("tilescope: the point is not in the session: " + session.problem());
      return ExitCode::cannot_run;
    }
    return point.findings.empty() ? exit_code_of(point) : ExitCode::verdict_against;
  }

 private:
  Measurement trace(Measuring& measuring, const Experiment& experiment) const {
    ProgressLine line;
    return measuring.trace(experiment, tracing_, [&line](const MeasureProgress& progress) {
      line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
    });
  }

  ExperimentOptions options_;
  Tracing tracing_;
  OutputOptions output_;
};

const RegisterCommand registered{[] { return std::make_unique<Trace>(); }};

}  // namespace
}  // namespace tilescope
