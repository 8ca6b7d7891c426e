#include "app/commands/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>

#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "profiler/compile/kernel_source.hpp"
#include "sessions/views/format.hpp"
#include "sessions/views/point_text.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

// A worker that cannot work fails every point alike: after so many in a row the sweep says so and ends.
constexpr int most_failures_in_a_row = 5;

bool is_failure_of_the_machine(Status status) {
  return status == Status::worker_lost || status == Status::unsupported;
}

/// Points that a sweep need not repeat: not those that say more of the machine at that time than of the
/// kernel.
bool is_conclusive(const Measurement& point) {
  return point.status != Status::cancelled && !is_failure_of_the_machine(point.status);
}

/// Of the kernel's source as it is now; "" when it cannot be read, which the measurement then says.
std::string source_hash(const SweepPlan& plan, const Installation& installation) {
  try {
    return read_kernel_source(plan.kernel.source_path, installation.kernels).sha256;
  } catch (const std::runtime_error&) {
    return "";
  }
}

using PointsByIdentity = std::map<std::string, std::shared_ptr<const Measurement>>;

/// The session's points that stand for a point of the sweep; later ones replace earlier ones.
PointsByIdentity reusable_points(const SweepPlan& plan, const SessionFile& session, const std::string& source,
                                 std::size_t& outdated) {
  PointsByIdentity points;
  PointsByIdentity of_other_source;
  for (const auto& point : session.session().points) {
    if (!is_conclusive(*point) || point->device.present != plan.device.present) continue;
    const std::string& compiled_from = point->provenance.source_sha256;
    const bool same_source = compiled_from.empty() || compiled_from == source;
    (same_source ? points : of_other_source)[identity(experiment_of(*point))] = point;
  }
  for (const Experiment& experiment : plan.experiments) {
    const std::string wanted = plan.identity_of(experiment);
    if (!points.contains(wanted) && of_other_source.contains(wanted)) ++outdated;
  }
  return points;
}

std::string varied_text(const SweepPlan& plan, const Configuration& configuration) {
  Configuration varied;
  for (const auto& [name, values] : plan.vary) varied[name] = configuration.at(name);
  return to_string(varied);
}

std::string outcome_text(const Measurement& point) {
  if (point.status != Status::ok) return fmt::format("{}: {}", status_words(point), point.reason);
  if (point.latency) return format_latency(point.latency->p50_us);
  if (point.occupancy)
    return fmt::format("{}, occupancy {}", status_words(point), format_percent(point.occupancy->fraction));
  return status_words(point);
}

/// Where a sweep stands: one line that is rewritten on a terminal, a line for each point elsewhere.
class SweepProgress {
 public:
  SweepProgress(const SweepPlan& plan, std::size_t to_measure) : plan_(plan), to_measure_(to_measure) {}

  void starts(const Experiment& experiment) {
    prefix_ = fmt::format("[{}/{}] {}", done_ + 1, to_measure_, varied_text(plan_, experiment.parameters));
    line_.show(prefix_ + remaining());
  }
  void stage(const MeasureProgress& progress) {
    line_.show(fmt::format("{}: {}{}", prefix_, progress.stage, remaining()));
  }
  void ended(const Measurement& point) {
    ++done_;
    if (!line_.on_terminal()) say(fmt::format("{}: {}", prefix_, outcome_text(point)));
  }
  void note(const std::string& sentence) {
    line_.clear();
    say(sentence);
  }

 private:
  std::string remaining() const {
    if (done_ == 0) return "";
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left_s = elapsed_s / static_cast<double>(done_) * static_cast<double>(to_measure_ - done_);
    return fmt::format(", about {} left", format_duration(left_s));
  }

  const SweepPlan& plan_;
  std::size_t to_measure_;
  std::size_t done_ = 0;
  std::string prefix_;
  Clock::time_point start_ = Clock::now();
  ProgressLine line_;
};

}  // namespace

SweepResult run_sweep(const SweepPlan& plan, Measuring& measuring, SessionFile& session) {
  SweepResult result;
  const std::string source = source_hash(plan, session.installation());
  const PointsByIdentity there = reusable_points(plan, session, source, result.outdated);
  std::vector<std::shared_ptr<const Measurement>> slots;
  for (const Experiment& experiment : plan.experiments) {
    const auto found = there.find(plan.identity_of(experiment));
    slots.push_back(found == there.end() ? nullptr : found->second);
    if (slots.back()) ++result.reused;
  }

  SweepProgress progress(plan, plan.experiments.size() - result.reused);
  int failures_in_a_row = 0;
  std::string told_problem;
  for (std::size_t index = 0; index < slots.size() && !interrupted() && result.gave_up.empty(); ++index) {
    if (slots[index]) continue;
    progress.starts(plan.experiments[index]);
    const Measurement point = measuring.measure(
        plan.experiments[index], [&progress](const MeasureProgress& stage) { progress.stage(stage); });
    if (point.status == Status::cancelled) break;
    progress.ended(point);
    slots[index] = session.append(point, &plan.kernel);
    if (session.problem() != told_problem) {
      told_problem = session.problem();
      if (!told_problem.empty()) progress.note("tilescope: the session is not written: " + told_problem);
    }
    failures_in_a_row = is_failure_of_the_machine(point.status) ? failures_in_a_row + 1 : 0;
    if (failures_in_a_row == most_failures_in_a_row) {
      result.gave_up = fmt::format("{} points in a row failed alike: {}", failures_in_a_row, point.reason);
    }
  }
  result.interrupted = interrupted();
  std::copy_if(slots.begin(), slots.end(), std::back_inserter(result.points),
               [](const auto& point) { return bool(point); });
  return result;
}

Json sweep_document(const SweepPlan& plan, const SweepResult& result) {
  Json points = Json::array();
  for (const auto& point : result.points) points.push_back(*point);
  return {{"points", std::move(points)},
          {"reused", result.reused},
          {"illegal", plan.left_out_count()},
          {"missing", plan.experiments.size() - result.points.size()}};
}

ExitCode conclude_sweep(const SweepPlan& plan, const SweepResult& result, const SessionFile& session) {
  const std::size_t missing = plan.experiments.size() - result.points.size();
  if (result.interrupted) {
    say(fmt::format("tilescope: cancelled: {} points are done, {} are missing{}", result.points.size(),
                    missing, session.is_open() ? "; the same command goes on from there" : ""));
  }
  if (!result.gave_up.empty()) {
    say(fmt::format("tilescope: the sweep ended early, {} points are missing: {}", missing, result.gave_up));
  }
  if (!session.problem().empty()) say("tilescope: the session is not complete: " + session.problem());

  ExitCode code = missing == 0 && session.problem().empty() ? ExitCode::done : ExitCode::cannot_run;
  std::map<std::string, std::size_t> failures;
  for (const auto& point : result.points) {
    if (point->status == Status::ok) continue;
    ++failures[status_words(*point)];
    const bool against = code == ExitCode::verdict_against || is_about_the_kernel(point->status);
    code = against ? ExitCode::verdict_against : ExitCode::cannot_run;
  }
  for (const auto& [words, count] : failures) say(fmt::format("tilescope: {} x {}", count, words));
  return code;
}

}  // namespace tilescope
