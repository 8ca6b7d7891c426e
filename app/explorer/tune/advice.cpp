#include "app/explorer/tune/advice.hpp"

#include <algorithm>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/points/shown_point.hpp"

namespace tilescope {
namespace {

bool comes_first(const Advice::Option& a, const Advice::Option& b) {
  const bool a_helps = a.judged && a.judged->helps, b_helps = b.judged && b.judged->helps;
  if (!a_helps || !b_helps) return a_helps && !b_helps;
  const double a_cost = a.judged->cost.value_or(0), b_cost = b.judged->cost.value_or(0);
  // Whichever was counted first, the order is the same.
  return a_cost == b_cost ? to_string(a.change) < to_string(b.change) : a_cost < b_cost;
}

}  // namespace

std::size_t Advice::Item::counted() const {
  return static_cast<std::size_t>(std::count_if(
      options.begin(), options.end(), [](const Option& option) { return option.judged.has_value(); }));
}

std::size_t Advice::Item::helpful() const {
  return static_cast<std::size_t>(std::count_if(options.begin(), options.end(), [](const Option& option) {
    return option.judged && option.judged->helps;
  }));
}

Advice::Advice(Board& board) : board_(board), shown_(board.get<ShownPoint>()) {}

// Alternatives are counted for the point under the sliders with its present source only: others could not be
// applied there, and an older source's alternatives would be compiled from the new one.
bool Advice::can_count(const SharedMeasurement& point) const {
  const Board::Parts& parts = board_.parts;
  return parts.jobs.has_worker() && point == parts.jobs.current_point() && !shown_.is_another() &&
         point->status == Status::ok && parts.kernels.find(point->kernel) != nullptr &&
         parts.selection.declaration_error().empty() && !is_of_older_source(*point, parts.kernels.sources());
}

void Advice::update(const SharedMeasurement& point) {
  const std::uint64_t revision = board_.parts.kernels.revision();
  const bool counts = point && can_count(point);
  if (point != point_ || revision != kernels_revision_ || counts != counts_) {
    point_ = point;
    kernels_revision_ = revision;
    counts_ = counts;
    derive(point);
  }
  derive_applied();
  if (counts_ && board_.parts.jobs.is_idle()) ask_for_next();
}

void Advice::derive(const SharedMeasurement& point) {
  ++generation_;
  items_.clear();
  if (!point) return;
  static const KernelDeclaration unknown;
  const KernelDeclaration* declared = board_.parts.kernels.find(point->kernel);
  const KernelDeclaration& kernel = declared == nullptr ? unknown : *declared;
  const DiagnosisInput input{*point, kernel, board_.parts.selection.find_device(point->device.name)};
  for (Diagnosis& diagnosis : diagnoses_of(input)) {
    Item item{std::move(diagnosis), nullptr, {}};
    item.rule = find_rule(item.diagnosis.kind);
    if (item.rule != nullptr && counts_) {
      for (ParameterChange& change : alternatives_to_count(*item.rule, input)) {
        Option option{std::move(change), std::nullopt};
        if (const SharedMeasurement known = board_.parts.jobs.find_known(with_change(*point, option.change)))
          option.judged = judge_alternative(*item.rule, *point, option.change, *known);
        item.options.push_back(std::move(option));
      }
      std::stable_sort(item.options.begin(), item.options.end(), comes_first);
    }
    items_.push_back(std::move(item));
  }
}

void Advice::ask_for_next() {
  for (const Item& item : items_) {
    const auto next = std::find_if(item.options.begin(), item.options.end(),
                                   [](const Option& option) { return !option.judged; });
    if (next == item.options.end()) continue;
    Experiment experiment = with_change(*point_, next->change);
    experiment.timing_budget_s = board_.parts.selection.experiment().timing_budget_s;
    const auto done = [this, generation = generation_,
                       change = next->change](const SharedMeasurement& counted) {
      if (generation == generation_ && counted) take(change, counted);
    };
    board_.parts.jobs.prefetch(Jobs::Prefetch::alternative, experiment, done);
    return;
  }
}

// A change that several diagnoses ask for is counted once.
void Advice::take(const ParameterChange& change, const SharedMeasurement& counted) {
  for (Item& item : items_) {
    for (Option& option : item.options) {
      if (option.change == change)
        option.judged = judge_alternative(*item.rule, *point_, option.change, *counted);
    }
    std::stable_sort(item.options.begin(), item.options.end(), comes_first);
  }
}

void Advice::apply(std::size_t item, const ParameterChange& change) {
  Experiment experiment = board_.parts.selection.experiment();
  experiment.parameters[change.parameter] = change.value;
  repair_ = Repair{items_.at(item).rule, change, point_, {}};
  applied_.reset();
  board_.parts.selection.set_experiment(std::move(experiment));
  repair_->experiment = board_.parts.selection.experiment();
}

void Advice::derive_applied() {
  if (!repair_ || shown_.is_another() || repair_->experiment != board_.parts.selection.experiment())
    return applied_.reset();
  const SharedMeasurement now = board_.parts.jobs.measuring() ? nullptr : board_.parts.jobs.current_point();
  if (applied_ && applied_->now == now) return;
  applied_ = Applied{repair_->change, repair_->before, now, "", {}};
  if (!now) return;
  applied_->sentence = worth_sentence(*repair_->rule, *repair_->before, *now);
  applied_->rows = worth_of(*repair_->rule, *repair_->before, *now);
}

}  // namespace tilescope
