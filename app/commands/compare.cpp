#include "profiler/requests/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/compare_text.hpp"
#include "app/commands/compared_side.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
#include "app/commands/session_file.hpp"
#include "profiler/client/worker_options.hpp"
#include "profiler/requests/measure.hpp"
#include "sessions/compare/comparison_json.hpp"

namespace tilescope {
namespace {

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override {
    return "Two configurations, kernels or recorded points side by side: which is faster, and why";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("A", texts_[0], "KERNEL[:NAME=VALUE,..], or SESSION.json[:kernel=KERNEL,NAME=VALUE,..]")
        ->required()
        ->type_name("");
    app.add_option("B", texts_[1], "The same; the verdict is about B")->required()->type_name("");
    options_.declare_conditions(app);
    app.add_flag("--across", across_, "Compare different shapes or devices all the same");
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    const Installation installation = find_installation();
    const std::array<ComparedSide, 2> sides{read_compared_side(texts_[0]), read_compared_side(texts_[1])};
    Experiment conditions = options_.conditions();
    Client client(worker_options(installation));
    check_device_name(conditions.device, installation, client);
    SessionFile session(output_.session, installation);
    listen_for_interrupts();
    const Comparison comparison = compared(sides, conditions, installation, client, session);
    if (output_.json) {
      print_json(comparison_to_json(comparison));
    } else {
      print(comparison_text(comparison));
    }
    if (!session.problem().empty()) {
      say("tilescope: the points are not in the session: " + session.problem());
      return ExitCode::cannot_run;
    }
    return outcome(comparison);
  }

 private:
  Comparison compared(const std::array<ComparedSide, 2>& sides, const Experiment& conditions,
                      const Installation& installation, Client& client, SessionFile& session) const {
    const Catalogue catalogue(installation.kernels);
    std::array<std::optional<Experiment>, 2> live;
    std::array<Measurement, 2> points;
    for (std::size_t i = 0; i < 2; ++i) {
      if (sides[i].is_session)
        points[i] = recorded_point(sides[i]);
      else
        live[i] = experiment_of(sides[i], catalogue, conditions);
    }
    std::optional<PairedSeries> series;
    if (live[0] && live[1]) {
      Compare::Answer answer = ask_for_both(client, *live[0], *live[1]);
      points = {std::move(answer.a), std::move(answer.b)};
      series = std::move(answer.series);
    } else {
      for (std::size_t i = 0; i < 2; ++i) {
        if (live[i]) points[i] = measured_beside(client, *live[i], points[1 - i]);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) keep(live[i], points[i], catalogue, session);
    refuse_different(points[0], points[1]);
    return compare(std::move(points[0]), std::move(points[1]), std::move(series));
  }

  static Measurement recorded_point(const ComparedSide& side) {
    try {
      Measurement point = *chosen_point(side, load_session(side.name));
      if (point.latency) point.latency->kind = LatencyKind::recorded;
      return point;
    } catch (const SessionError& error) {
      throw WrongUsage(error.what());
    }
  }

  Compare::Answer ask_for_both(Client& client, const Experiment& a, const Experiment& b) const {
    ProgressLine line;
    Compare::Answer answer = ask<Compare>(
        client, {{a, b}},
        [&line](const RequestProgress& progress) {
          line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
        },
        2 * options_.time_limit());
    if (answer.status == Status::ok) return answer;
    answer.a = failed_measurement(a, answer.status, answer.reason);
    answer.b = failed_measurement(b, answer.status, answer.reason);
    return answer;
  }

  // Under the conditions of the recorded one, where no option gives others.
  Measurement measured_beside(Client& client, Experiment experiment, const Measurement& recorded) const {
    if (!across_) {
      experiment.shape = recorded.shape;
      if (experiment.device.empty()) experiment.device = recorded.device.name;
    }
    return ask<Measure>(client, {experiment}, {}, options_.time_limit());
  }

  static void keep(const std::optional<Experiment>& live, const Measurement& point,
                   const Catalogue& catalogue, SessionFile& session) {
    if (!live || point.status == Status::cancelled || !session.is_open()) return;
    const KernelDeclaration kernel = find_kernel(catalogue, live->kernel);
    session.append(point, &kernel);
  }

  void refuse_different(const Measurement& a, const Measurement& b) const {
    if (across_) return;
    const std::string why = why_not_comparable(a, b);
    if (!why.empty()) throw WrongUsage(why + " Compare them all the same with --across.");
  }

  static ExitCode outcome(const Comparison& comparison) {
    for (const Measurement* point : {&comparison.a, &comparison.b}) {
      if (point->status != Status::ok) return exit_code_of(*point);
    }
    return comparison.basis == Basis::none ? ExitCode::cannot_run : ExitCode::done;
  }

  std::array<std::string, 2> texts_;
  ExperimentOptions options_;
  OutputOptions output_;
  bool across_ = false;
};

const RegisterCommand register_compare{[] { return std::make_unique<CompareCommand>(); }};

}  // namespace
}  // namespace tilescope
