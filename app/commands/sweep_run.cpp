#include "app/commands/sweep_run.hpp"

#include <fmt/format.h>

#include <map>

#include "app/commands/asking.hpp"
#include "app/commands/output.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/service/requests/measure.hpp"
#include "sessions/compare/shape_matrix_json.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/tune/sweep_summary.hpp"

namespace tilescope {
namespace {

/// As kernel and device are now. A source that cannot be read is left out: the measurement then says why.
Circumstances circumstances_of(const SweepGrid& grid, const Installation& installation) {
  Circumstances now;
  now.device_present = grid.device.present;
  try {
    // Points name the kernel as it was asked for, which may be the path of its file.
    now.sources[grid.base.kernel] = read_kernel_source(grid.kernel.source_path, installation.kernels).sha256;
  } catch (const std::runtime_error&) {
  }
  return now;
}

std::string varied_text(const SweepGrid& grid, const Experiment& experiment) {
  Configuration varied;
  for (const auto& [name, values] : grid.swept) varied[name] = experiment.parameters.at(name);
  const std::string shape = grid.shapes.empty() ? "" : to_string(experiment.shape);
  return shape + (shape.empty() || varied.empty() ? "" : ", ") + to_string(varied);
}

std::string outcome_text(const Measurement& point) {
  if (point.status != Status::ok) return fmt::format("{}: {}", status_words(point), point.reason);
  if (point.latency) return format_latency(point.latency->p50_us);
  if (has_prediction(point)) return "predicted " + predicted_words(*point.prediction);
  if (point.occupancy)
    return fmt::format("{}, occupancy {}", status_words(point), format_percent(point.occupancy->fraction));
  return status_words(point);
}

/// Where a sweep stands: one line that is rewritten on a terminal, a line for each point elsewhere.
class SweepProgress {
 public:
  SweepProgress(const SweepGrid& grid, const Campaign& campaign) : grid_(grid), campaign_(campaign) {}

  void starts(const Experiment& experiment) {
    prefix_ =
        fmt::format("[{}/{}] {}", campaign_.done() + 1, campaign_.total(), varied_text(grid_, experiment));
    line_.show(prefix_ + remaining());
  }
  void stage(const RequestProgress& progress) {
    line_.show(fmt::format("{}: {}{}", prefix_, progress.stage, remaining()));
  }
  void ended(const Measurement& point) {
    if (!line_.on_terminal()) say(fmt::format("{}: {}", prefix_, outcome_text(point)));
  }
  void note(const std::string& sentence) {
    line_.clear();
    say(sentence);
  }

 private:
  std::string remaining() const {
    const auto left_s = campaign_.remaining_s();
    if (!left_s) return "";
    return fmt::format(", {}, about {} left", sweep_rate_text(campaign_.points_per_second()),
                       format_duration(*left_s));
  }

  const SweepGrid& grid_;
  const Campaign& campaign_;
  std::string prefix_;
  ProgressLine line_;
};

PointStore points_of(const SessionFile& session) {
  PointStore store;
  for (const SharedMeasurement& point : session.session().points) store.add(point);
  return store;
}

}  // namespace

SweepResult run_sweep(const SweepGrid& grid, const SweepPlan& plan, Client& client, SessionFile& session,
                      const SweepOptions& options) {
  SweepResult result(plan);
  Campaign& campaign = result.campaign;
  const PointStore store = points_of(session);
  const Circumstances now = circumstances_of(grid, session.installation());
  const auto lookup = [&](Experiment experiment) {
    experiment.device = grid.device.name;  // However it was named.
    return store.find(experiment, now);
  };
  SweepProgress progress(grid, campaign);
  PrefetchRequests ahead(client);
  std::string reported_problem;
  const auto show_stage = [&progress](const RequestProgress& stage) { progress.stage(stage); };
  const auto measure = [&](const Experiment& experiment) {
    return ask<Measure>(client, {experiment}, show_stage, options.time_limit);
  };
  while (const auto experiment = campaign.next(lookup, [] { return !interrupted(); })) {
    progress.starts(*experiment);
    ahead.name(campaign.upcoming(options.compiled_ahead, lookup));
    Measurement point = measure(*experiment);
    if (ahead.take_blame(point.status)) {
      progress.note(
          "tilescope: the worker was lost while it compiled the next points: this one is measured again");
      point = measure(*experiment);
      ahead.take_blame(point.status);
    }
    if (point.status == Status::cancelled) break;
    progress.ended(point);
    campaign.record(session.append(point, &grid.kernel));
    if (session.problem() == reported_problem) continue;
    reported_problem = session.problem();
    if (!reported_problem.empty())
      progress.note("tilescope: the session is not written: " + reported_problem);
  }
  result.interrupted = interrupted();
  return result;
}

std::optional<ShapeMatrix> sweep_matrix(const SweepGrid& grid, const SweepResult& result) {
  if (grid.shapes.empty()) return std::nullopt;
  std::vector<ShapeMatrix> matrices = shape_matrices(result.campaign.points(), grid.shapes);
  if (matrices.empty()) return std::nullopt;
  return std::move(matrices.front());
}

Json sweep_document(const SweepGrid& grid, const SweepPlan& plan, const SweepResult& result) {
  Json points = Json::array();
  for (const SharedMeasurement& point : result.campaign.points()) points.push_back(*point);
  const std::optional<ShapeMatrix> matrix = sweep_matrix(grid, result);
  Json document{{"points", std::move(points)},
                {"reused", result.campaign.reused()},
                {"illegal", plan.left_out_count()},
                {"missing", result.missing()},
                {"matrix", matrix ? shape_matrix_to_json(*matrix) : Json()}};
  if (result.missing() == 0) return document;
  return result.interrupted
             ? with_failure(std::move(document), to_string(Status::cancelled), "stopped by Ctrl+C")
             : with_failure(std::move(document), "cannot_run", result.campaign.gave_up());
}

ExitCode conclude_sweep(const SweepResult& result, const SessionFile& session) {
  const Campaign& campaign = result.campaign;
  if (result.interrupted) {
    say(fmt::format("tilescope: cancelled: {} points are done, {} are missing{}", campaign.points().size(),
                    result.missing(), session.is_open() ? "; the same command resumes" : ""));
  }
  if (!campaign.gave_up().empty()) {
    say(fmt::format("tilescope: the sweep ended early, {} points are missing: {}", result.missing(),
                    campaign.gave_up()));
  }
  if (!session.problem().empty()) say("tilescope: the session is not complete: " + session.problem());

  ExitCode code = result.missing() == 0 && session.problem().empty() ? ExitCode::done : ExitCode::cannot_run;
  std::map<std::string, std::size_t> failures;
  for (const SharedMeasurement& point : campaign.points()) {
    if (point->status == Status::ok) continue;
    ++failures[status_words(*point)];
    const bool has_failed = code == ExitCode::check_failed || is_about_the_kernel(point->status);
    code = has_failed ? ExitCode::check_failed : ExitCode::cannot_run;
  }
  if (result.interrupted && result.missing() > 0) code = ExitCode::stopped;
  for (const auto& [words, count] : failures) say(fmt::format("tilescope: {} x {}", count, words));
  return code;
}

}  // namespace tilescope
