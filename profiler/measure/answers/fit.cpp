#include "profiler/service/requests/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <utility>

#include "profiler/explanation/model/fit.hpp"
#include "profiler/measure/interpret/executed_launch.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// The points of a request that the model can be fitted to.
class FittedPoints {
 public:
  void add(ExecutedPoint executed, const RecordedLatency& recorded) {
    const std::string why = why_skipped(executed, recorded);
    if (!why.empty()) {
      ++skipped_[why];
      return;
    }
    launches_.push_back(std::move(*executed.launch));
    measured_.push_back({&launches_.back(), recorded.p50_us});
  }

  const std::vector<model::MeasuredLaunch>& measured() const { return measured_; }

  std::vector<Fit::Skipped> skipped() const {
    std::vector<Fit::Skipped> reasons;
    reasons.reserve(skipped_.size());
    for (const auto& [reason, points] : skipped_) reasons.push_back({reason, points});
    std::ranges::stable_sort(reasons, std::ranges::greater(), &Fit::Skipped::points);
    return reasons;
  }

 private:
  // Also code that was not executed is compared: another compiler is the more useful reason.
  static std::string why_skipped(const ExecutedPoint& executed, const RecordedLatency& recorded) {
    const Measurement& point = executed.point;
    if (point.resources && point.resources->sass_sha256 != recorded.sass_sha256)
      return "the machine code compiled now differs from the recorded one";
    if (point.status != Status::ok) return fmt::format("{}: {}", to_string(point.status), point.reason);
    if (executed.launch) return "";
    return point.notes.empty() ? "its machine code was not executed" : point.notes.back();
  }

  // A list: launches are looked at where they are.
  std::list<model::ExecutedLaunch> launches_;
  std::vector<model::MeasuredLaunch> measured_;
  std::map<std::string, std::int64_t> skipped_;
};

FittedPoints execute(Workbench& bench, const Fit::Params& params, const MeasureControl& control) {
  MeasureControl one{[](const RequestProgress&) {}, control.cancelled};
  one.time_limit_s = Fit::point_limit_s;
  FittedPoints points;
  const std::size_t all = params.experiments.size();
  for (std::size_t i = 0; i < all && !control.cancelled(); ++i) {
    control.report({Fit::executing, static_cast<double>(i) / static_cast<double>(all)});
    points.add(execute_launch(bench, params.experiments[i], one), params.recorded[i]);
  }
  return points;
}

std::string why_too_few(const Fit::Answer& answer, std::size_t all) {
  std::string text = fmt::format("{} of {} points can be fitted to, and a fit needs {}", answer.points, all,
                                 Fit::least_points);
  if (!answer.skipped.empty())
    text += fmt::format(". {} x: {}", answer.skipped.front().points, answer.skipped.front().reason);
  return text;
}

Fit::Answer answer_fit(Workbench& bench, const Fit::Params& params, const MeasureControl& control) {
  Fit::Answer answer;
  answer.device = params.device;
  const auto ended = [&](Status status, std::string reason) {
    answer.status = status;
    answer.reason = std::move(reason);
    return answer;
  };
  const FittedPoints points = execute(bench, params, control);
  if (control.cancelled()) return ended(Status::cancelled, "cancelled while the points were executed");
  answer.points = static_cast<std::int64_t>(points.measured().size());
  answer.skipped = points.skipped();
  if (points.measured().size() < Fit::least_points)
    return ended(Status::unsupported, why_too_few(answer, params.experiments.size()));

  model::FitOptions options;
  options.source = params.source;
  options.cancelled = control.cancelled;
  options.progress = [&](double part) { control.report({Fit::fitting, part}); };
  options.progress(0);
  model::Fit fit = model::fit(points.measured(), params.device, options);
  if (fit.figures.empty()) return ended(Status::cancelled, "cancelled during the fit");
  answer.error_before = fit.error_before;
  answer.error_after = fit.error_after;
  answer.device.fitted = std::move(fit.figures);
  return answer;
}

const RegisterAnswer<Fit> register_fit{answer_fit};

}  // namespace
}  // namespace tilescope
