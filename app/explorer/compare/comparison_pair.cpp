#include "app/explorer/compare/comparison_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {
namespace {

std::string tag_of(Side side) {
  return "side " + to_string(side);
}

}  // namespace

// --- the choice ---

bool ComparisonPair::is_live(Side side) const {
  return choice(side).kind == SideChoice::Kind::sliders || choice(side).kind == SideChoice::Kind::pinned;
}

void ComparisonPair::set(SideChoices choices) {
  parts_.selection.set_sides(std::move(choices));
  parts_.notices.draw_again();
}

void ComparisonPair::set(Side side, SideChoice choice) {
  SideChoices choices = parts_.selection.sides();
  choices[index_of(side)] = std::move(choice);
  set(std::move(choices));
}

SideChoice ComparisonPair::pinned(const Experiment& experiment) const {
  return {SideChoice::Kind::pinned, parts_.selection.complete(experiment), nullptr};
}

/// The sides after `side` followed the sliders.
SideChoices ComparisonPair::with_sliders(Side side) const {
  SideChoices choices = parts_.selection.sides();
  if (follows_sliders(side)) return choices;
  const Side other = other_side(side);
  if (follows_sliders(other)) choices[index_of(other)] = pinned(parts_.selection.experiment());
  choices[index_of(side)] = {SideChoice::Kind::sliders, {}, nullptr};
  return choices;
}

void ComparisonPair::follow_sliders(Side side) {
  set(with_sliders(side));
}

void ComparisonPair::pin_sliders(Side side) {
  SideChoices choices = parts_.selection.sides();
  choices[index_of(side)] = pinned(parts_.selection.experiment());
  SideChoice& other = choices[index_of(other_side(side))];
  if (other.kind == SideChoice::Kind::none) other.kind = SideChoice::Kind::sliders;
  set(std::move(choices));
}

void ComparisonPair::pin(Side side, const Experiment& experiment) {
  set(side, pinned(experiment));
}

void ComparisonPair::choose(Side side, const SharedMeasurement& point) {
  if (!point) return clear(side);
  set(side, {SideChoice::Kind::point, {}, point});
}

void ComparisonPair::choose_against_sliders(const SharedMeasurement& point) {
  set({SideChoice{SideChoice::Kind::point, {}, point}, SideChoice{SideChoice::Kind::sliders, {}, nullptr}});
}

void ComparisonPair::clear(Side side) {
  set(side, {});
}

void ComparisonPair::swap() {
  SideChoices choices = parts_.selection.sides();
  std::swap(choices[0], choices[1]);
  std::swap(asked_[0], asked_[1]);
  // Answers under way are of the other side now.
  for (const Side side : both_sides) {
    if (auto& asked = asked_[index_of(side)]; asked && !asked->answer) asked.reset();
    requests_[index_of(side)].cancel();
  }
  set(std::move(choices));
}

void ComparisonPair::choose_ends(const std::vector<SharedMeasurement>& points) {
  if (points.size() < 2) return;
  const SharedMeasurement& first = points.front();
  const auto last = std::find_if(points.rbegin(), points.rend() - 1, [&](const SharedMeasurement& point) {
    return why_not_comparable(*first, *point).empty();
  });
  const SharedMeasurement& other = last == points.rend() - 1 ? points.back() : *last;
  set({SideChoice{SideChoice::Kind::point, {}, first}, SideChoice{SideChoice::Kind::point, {}, other}});
}

void ComparisonPair::drop_points(const std::function<bool(const SharedMeasurement&)>& is_gone) {
  using Kind = SideChoice::Kind;
  parts_.selection.amend_sides([&](SideChoices& choices) {
    for (SideChoice& choice : choices) {
      if (choice.point && is_gone(choice.point)) choice = {};
    }
    auto& [a, b] = choices;
    if (b.kind == Kind::none && a.kind != Kind::sliders) b.kind = Kind::sliders;
  });
  parts_.notices.draw_again();
}

// --- sliders ---

void ComparisonPair::move(Side side, const std::string& parameter, const ParameterValue& value) {
  const auto move_one = [&](Side moved) {
    if (follows_sliders(moved)) return parts_.selection.drag_parameter(parameter, value);
    SideChoices choices = parts_.selection.sides();
    choices[index_of(moved)].pinned.parameters[parameter] = value;
    parts_.selection.drag_sides(std::move(choices));
    parts_.notices.draw_again();
  };
  if (!is_live(side)) return;
  is_moving_ = true;
  move_one(side);
  const Side other = other_side(side);
  if (!moves_both_ || !is_live(other)) return;
  const KernelDeclaration* declared = kernel(other);
  const ParameterDeclaration* same = declared == nullptr ? nullptr : declared->find_parameter(parameter);
  const bool has_value =
      same != nullptr && std::find(same->values.begin(), same->values.end(), value) != same->values.end();
  if (has_value) move_one(other);
}

void ComparisonPair::end_move() {
  is_moving_ = false;
  parts_.selection.end_drag();
  parts_.notices.draw_again();
}

void ComparisonPair::choose_kernel(Side side, const std::string& kernel) {
  Experiment experiment = parts_.selection.experiment();
  experiment.kernel = kernel;
  experiment.parameters.clear();
  if (follows_sliders(side)) return parts_.selection.set_experiment(std::move(experiment));
  pin(side, experiment);
}

void ComparisonPair::bring_under_sliders(Side side) {
  if (follows_sliders(side) || choice(side).kind == SideChoice::Kind::none) return;
  const Experiment wanted = experiment(side);
  if (parts_.kernels.find(wanted.kernel) == nullptr) return;
  SideChoices choices = parts_.selection.sides();
  if (is_live(side)) {
    choices = with_sliders(side);
  } else if (const Side other = other_side(side); follows_sliders(other)) {
    choices[index_of(other)] = pinned(parts_.selection.experiment());
  }
  Experiment moved = parts_.selection.experiment();
  moved.kernel = wanted.kernel;
  moved.parameters = wanted.parameters;
  moved.compiler = wanted.compiler;
  if (choice(side).kind == SideChoice::Kind::point) moved.shape = wanted.shape;
  parts_.selection.set(std::move(moved), std::move(choices));
  parts_.notices.draw_again();
}

void ComparisonPair::take_conditions_of(Side side) {
  const Experiment wanted = experiment(side);
  Experiment moved = parts_.selection.experiment();
  moved.shape = wanted.shape;
  if (parts_.selection.find_device(wanted.device) != nullptr) moved.device = wanted.device;
  parts_.selection.set_experiment(std::move(moved));
}

// --- what they are ---

Experiment ComparisonPair::at_conditions(Experiment experiment) const {
  const Experiment& here = parts_.selection.experiment();
  experiment.shape = here.shape;
  experiment.device = here.device;
  experiment.timing_budget_s = here.timing_budget_s;
  return parts_.selection.complete(std::move(experiment));
}

Experiment ComparisonPair::experiment(Side side) const {
  switch (choice(side).kind) {
    case SideChoice::Kind::none:
      break;
    case SideChoice::Kind::sliders:
      return parts_.selection.complete(parts_.selection.experiment());
    case SideChoice::Kind::pinned:
      return at_conditions(choice(side).pinned);
    case SideChoice::Kind::point:
      return experiment_of(*choice(side).point);
  }
  return {};
}

const KernelDeclaration* ComparisonPair::kernel(Side side) const {
  switch (choice(side).kind) {
    case SideChoice::Kind::none:
      return nullptr;
    case SideChoice::Kind::sliders:
      return parts_.kernels.find(parts_.selection.experiment().kernel);
    case SideChoice::Kind::pinned:
      return parts_.kernels.find(choice(side).pinned.kernel);
    case SideChoice::Kind::point:
      break;
  }
  return parts_.kernels.find(choice(side).point->kernel);
}

std::string ComparisonPair::why_invalid(Side side) const {
  if (!is_live(side)) return "";
  if (follows_sliders(side)) return parts_.selection.why_invalid();
  const KernelDeclaration* declared = kernel(side);
  if (declared == nullptr) return "The catalogue has no kernel '" + choice(side).pinned.kernel + "'.";
  if (std::string error = parts_.kernels.error_of(declared->name); !error.empty()) return error;
  const Experiment now = experiment(side);
  return tilescope::why_invalid(*declared, now.parameters, now.shape, parts_.selection.device());
}

bool ComparisonPair::is_recorded(Side side) const {
  const SharedMeasurement& point = choice(side).point;
  return point && parts_.points.is_recorded(point);
}

// --- the comparison ---

bool ComparisonPair::waits() const {
  for (const Side side : both_sides) {
    if (follows_sliders(side) && parts_.jobs.measuring()) return true;
    const auto& asked = asked_[index_of(side)];
    if (choice(side).kind == SideChoice::Kind::pinned && !point(side) && asked && !asked->answer) return true;
  }
  return runs_turns();
}

MissingAnswer ComparisonPair::missing() const {
  if (comparison_) return {};
  for (const Side side : both_sides) {
    if (choice(side).kind != SideChoice::Kind::none) continue;
    return {"Side " + to_string(side) + " is empty",
            "Pin the configuration under the sliders, choose a kernel in the panel A and B, or right-click a "
            "point in the table, in the ladder or in a plot."};
  }
  for (const Side side : both_sides) {
    if (point(side)) continue;
    if (!parts_.jobs.measures())
      return {"No point of " + to_string(side), "Nothing is measured here. Choose a point of the session."};
    return {"Measuring " + to_string(side) + "...", "The comparison follows once both sides have a point."};
  }
  return {};
}

void ComparisonPair::want() {
  resolve();
  ask();
  derive();
  ask_for_explanations();
}

SharedMeasurement ComparisonPair::known_point(Side side) {
  switch (choice(side).kind) {
    case SideChoice::Kind::none:
      return nullptr;
    case SideChoice::Kind::sliders:
      return parts_.jobs.current_point();
    case SideChoice::Kind::point:
      return choice(side).point;
    case SideChoice::Kind::pinned:
      break;
  }
  const Experiment now = experiment(side);
  if (SharedMeasurement known = is_moving_ ? parts_.jobs.find_known(now) : parts_.jobs.choose_known(now))
    return known;
  const auto& asked = asked_[index_of(side)];
  return asked && asked->is_of(now, parts_.kernels.revision()) ? asked->answer : nullptr;
}

void ComparisonPair::resolve() {
  for (const Side side : both_sides) points_[index_of(side)] = known_point(side);
}

/// Two live sides on a GPU that is here.
bool ComparisonPair::can_run_turns() const {
  if (!is_live(Side::a) || !is_live(Side::b) || !parts_.jobs.measures()) return false;
  if (!parts_.selection.device().present) return false;
  return why_invalid(Side::a).empty() && why_invalid(Side::b).empty();
}

/// The point under the sliders is asked for by the jobs.
PlannedSide ComparisonPair::planned(Side side) const {
  if (!is_live(side)) return {};
  return {experiment(side), follows_sliders(side) || point(side)};
}

void ComparisonPair::ask() {
  ComparisonPlan plan = plan_comparison({planned(Side::a), planned(Side::b)}, can_run_turns());
  if (!plan.both && turns_asked_) {
    turns_request_.cancel();
    turns_asked_.reset();
    turns_.reset();
  }
  if (plan.both) return ask_for_turns(*std::move(plan.both));
  turns_problem_.clear();
  for (const Side side : both_sides) {
    if (const auto& alone = plan.alone[index_of(side)]) ask_for_point(side, alone->experiment);
  }
}

void ComparisonPair::ask_for_turns(Compare::Params params) {
  AskedTurns now{params.experiments, parts_.kernels.revision()};
  if (turns_asked_ == now) return;
  // The running request measures other configurations and would delay the point under the sliders.
  turns_request_.cancel();
  turns_asked_.reset();
  turns_.reset();
  turns_problem_.clear();
  if (parts_.jobs.measuring() || parts_.jobs.waits_for_devices()) return;
  turns_asked_ = std::move(now);
  turns_request_ = parts_.jobs.request<Compare>(
      "compare", params, {[this, params](Compare::Answer answer) { take_turns(std::move(answer), params); }});
}

void ComparisonPair::take_turns(Compare::Answer answer, const Compare::Params& asked) {
  const auto turns = std::make_shared<Turns>();
  if (answer.series) turns->series = *answer.series;
  turns_problem_ = answer.status != Status::ok ? answer.reason : "";
  if (!answer.series && turns_problem_.empty()) turns_problem_ = "The two did not run in turns.";
  std::array<Measurement, 2> points = compared_points(std::move(answer), asked);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto point = std::make_shared<const Measurement>(std::move(points[i]));
    keep(point, asked.experiments[i]);
    turns->points[i] = point;
    asked_[i] = Asked{asked.experiments[i], turns_asked_->kernels_revision, point};
  }
  turns_ = turns;
}

void ComparisonPair::ask_for_point(Side side, const Experiment& now) {
  if (!parts_.jobs.measures() || parts_.jobs.waits_for_devices()) return;
  auto& asked = asked_[index_of(side)];
  if (asked && asked->is_of(now, parts_.kernels.revision())) return;
  asked = Asked{now, parts_.kernels.revision(), nullptr};
  if (const std::string invalid = why_invalid(side); !invalid.empty()) {
    requests_[index_of(side)].cancel();
    asked->answer =
        std::make_shared<const Measurement>(failed_measurement(now, Status::invalid_configuration, invalid));
    points_[index_of(side)] = asked->answer;
    return;
  }
  const auto take = [this, side](Measurement measurement) {
    take_point(side, std::make_shared<const Measurement>(std::move(measurement)));
  };
  requests_[index_of(side)] = parts_.jobs.request<Measure>(tag_of(side), {now}, {take});
}

void ComparisonPair::take_point(Side side, const SharedMeasurement& point) {
  auto& asked = asked_[index_of(side)];
  keep(point, asked->experiment);
  asked->answer = point;
}

/// A configuration that the user pinned is a point of the session.
void ComparisonPair::keep(const SharedMeasurement& point, const Experiment& asked) {
  if (is_worth_keeping(point->status) && !parts_.jobs.find_known(asked)) parts_.points.add(point, asked);
}

bool ComparisonPair::is_explaining() const {
  return std::ranges::any_of(explained_, [](const Explained& one) { return one.of && !one.answer; });
}

// Slider points are not explained. Behind everything that the user waits for.
void ComparisonPair::ask_for_explanations() {
  if (!is_current_ || waits() || !parts_.jobs.measures() || parts_.jobs.waits_for_devices()) return;
  for (const Side side : both_sides) {
    const SharedMeasurement& point = compared_[index_of(side)];
    Explained& explained = explained_[index_of(side)];
    if (explained.of == point) continue;
    explained = {};
    const bool lacks_lines = point->prediction && point->prediction->lines.empty();
    if (point->status != Status::ok || !lacks_lines || parts_.kernels.find(point->kernel) == nullptr)
      continue;
    explained.of = point;
    explained.request = parts_.jobs.request<CountKernel>(
        tag_of(side) + " explained", {experiment_of(*point), {}, false, true},
        {[this, side, point](CountedPoint answer) {
          Explained& asked = explained_[index_of(side)];
          if (asked.of != point) return;
          asked.answer = std::make_shared<const Measurement>(std::move(answer));
          compared_ = {};  // compared again
        }});
  }
}

/// A recorded latency is never drawn as if it were measured now. An explanation belongs to a point of the same source and
/// model alone.
Measurement ComparisonPair::as_shown(Side side, const SharedMeasurement& point) const {
  Measurement shown = *point;
  if (shown.latency && parts_.points.is_recorded(point)) shown.latency->kind = LatencyKind::recorded;
  const Explained& explained = explained_[index_of(side)];
  if (explained.of != point || !explained.answer || !explained.answer->prediction) return shown;
  const Prediction& prediction = *explained.answer->prediction;
  if (explained.answer->provenance.source_sha256 == shown.provenance.source_sha256 &&
      prediction.model == shown.prediction->model && prediction.p50_us == shown.prediction->p50_us)
    shown.prediction = prediction;
  return shown;
}

void ComparisonPair::derive() {
  const bool ran_turns = turns_ && turns_->series.rounds > 0;
  const std::array<SharedMeasurement, 2> now = ran_turns ? turns_->points : points_;
  is_current_ = now[0] && now[1];
  if (!is_current_) {
    const bool is_chosen =
        choice(Side::a).kind != SideChoice::Kind::none && choice(Side::b).kind != SideChoice::Kind::none;
    if (is_chosen || !comparison_) return;
    comparison_ = nullptr;
    compared_ = {};
    ++revision_;
    return;
  }
  const std::shared_ptr<const Turns> turns = ran_turns ? turns_ : nullptr;
  if (now == compared_ && turns == compared_turns_ && comparison_) return;
  compared_ = now;
  compared_turns_ = turns;
  comparison_ =
      std::make_shared<const Comparison>(compare(as_shown(Side::a, now[0]), as_shown(Side::b, now[1]),
                                                 turns ? std::optional(turns->series) : std::nullopt));
  ++revision_;
}

}  // namespace tilescope
