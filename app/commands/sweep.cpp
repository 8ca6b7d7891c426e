#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/output.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/shapes_option.hpp"
#include "app/commands/sweep_run.hpp"
#include "app/commands/vary_arguments.hpp"
#include "base/json.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_rows = 30;

class SweepCommand : public Command {
 public:
  std::string name() const override { return "sweep"; }
  std::string summary() const override {
    return "A grid of points, with progress; --session resumes an earlier run";
  }
  void declare_options(CLI::App& app) override {
    options_.declare(app);
    shapes_.declare(app);
    app.add_option(
           "--vary", vary_,
           "A parameter to sweep over all its values or those given. May be repeated. With --sample all "
           "parameters by default")
        ->type_name("NAME[=V1,V2,..]")
        ->allow_extra_args(false);
    add_whole_option(app, "--sample", sampled_,
                     "Draw N of the valid configurations at random, the same ones for the same --seed",
                     {1, 1'000'000});
    add_whole_option(
        app, "--compile-ahead", compiled_ahead_,
        "How many of the next points to compile on idle cores while one is measured; 0 for none. "
        "By default two for each core, at least 4 and at most 64",
        {0, 256});
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    const Installation installation = find_installation();
    const KernelDeclaration kernel = options_.find_kernel(installation);
    const Experiment base = options_.experiment(kernel);
    const SweptParameters vary = swept_parameters(kernel);
    for (const auto& [name, values] : vary) {
      if (options_.sets(name))
        throw WrongUsage(fmt::format("'{}' is both in --set and in --vary: choose one", name));
    }
    const std::chrono::milliseconds time_limit = options_.time_limit();
    say_problems(installation);
    Client client(worker_options(installation));
    const DeviceModel device = find_device(base.device, installation, client);
    SweepGrid grid{kernel, device, base, vary};
    if (sampled_ > 0) grid.sample = SweepSample{sampled_, base.seed};
    if (shapes_.is_given()) grid.shapes = shapes_.shapes(installation).shapes;
    const SweepPlan plan = planned(grid);
    SessionFile session(output_.session, installation);
    if (!session.problem().empty()) throw CannotRun(session.problem());
    if (plan.experiments.empty()) {
      const std::string reason = "every configuration of this grid is invalid. " + plan.left_out_text();
      say("tilescope: " + reason);
      if (output_.json) {
        print_json(with_failure(sweep_document(grid, plan, SweepResult(plan)),
                                to_string(Status::invalid_configuration), reason));
      }
      return ExitCode::check_failed;
    }

    listen_for_interrupts();
    say(opening(grid, plan));
    const SweepResult result = run_sweep(grid, plan, client, session, {time_limit, compiled_ahead_});
    if (output_.json) {
      print_json(sweep_document(grid, plan, result));
    } else {
      print(sweep_text(grid, plan, result, most_rows));
    }
    return conclude_sweep(result, session);
  }

 private:
  SweptParameters swept_parameters(const KernelDeclaration& kernel) const {
    if (!vary_.empty()) return read_vary_arguments(vary_, kernel);
    if (sampled_ == 0)
      throw WrongUsage("sweep needs --vary NAME, or --sample N to draw from all of the parameters");
    SweptParameters all;
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (!options_.sets(parameter.name)) all.emplace_back(parameter.name, std::vector<ParameterValue>());
    }
    return all;
  }

  static SweepPlan planned(const SweepGrid& grid) {
    try {
      return plan_sweep(grid);
    } catch (const GridTooLarge& error) {
      throw WrongUsage(fmt::format("sweep: {} (--vary), or draw fewer (--sample N)", error.what()));
    }
  }

  static std::string opening(const SweepGrid& grid, const SweepPlan& plan) {
    std::string text =
        fmt::format("{} on {}{}: {} points", grid.kernel.name, grid.device.name,
                    grid.device.present ? "" : " (not installed: counted and predicted, not timed)",
                    plan.experiments.size());
    if (!grid.shapes.empty()) text += fmt::format(" at {} shapes", grid.shapes.size());
    const std::size_t invalid = plan.left_out_count();
    return invalid == 0 ? text : text + fmt::format(", {} invalid left out", invalid);
  }

  ExperimentOptions options_;
  ShapesOption shapes_;
  OutputOptions output_;
  std::size_t compiled_ahead_ = points_compiled_ahead();
  std::size_t sampled_ = 0;
  std::vector<std::string> vary_;
};

const RegisterCommand register_sweep{[] { return std::make_unique<SweepCommand>(); }};

}  // namespace
}  // namespace tilescope
