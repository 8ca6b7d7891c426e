#include "app/explorer/advice.hpp"

#include <algorithm>

#include "profiler/diagnose/diagnose.hpp"

namespace tilescope {
namespace {

bool comes_first(const Advice::Option& a, const Advice::Option& b) {
  const bool a_helps = a.judged && a.judged->helps, b_helps = b.judged && b.judged->helps;
  if (!a_helps || !b_helps) return a_helps && !b_helps;
  const double a_cost = a.judged->cost.value_or(0), b_cost = b.judged->cost.value_or(0);
  // Whichever was counted first, the order is the same.
  return a_cost == b_cost ? to_string(a.change) < to_string(b.change) : a_cost < b_cost;
}

// Alternatives of a point that is not under the sliders could not be applied there, and those of an older source would
// be compiled from the new one.
bool can_count(const Explorer& explorer, const Point& point) {
  return explorer.jobs().has_worker() && point == explorer.jobs().current_point() &&
         !explorer.shows_another_point() && point->status == Status::ok &&
         explorer.kernels().find(point->kernel) != nullptr &&
         explorer.selection().declaration_error().empty() &&
         !is_of_older_source(*point, explorer.kernels().sources());
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

void Advice::update(Explorer& explorer, const Point& point) {
  const std::uint64_t revision = explorer.kernels().revision();
  const bool counts = point && can_count(explorer, point);
  if (point != point_ || revision != kernels_revision_ || counts != counts_) {
    point_ = point;
    kernels_revision_ = revision;
    counts_ = counts;
    derive(explorer, point);
  }
  derive_applied(explorer);
  if (counts_ && explorer.jobs().is_idle()) ask_for_next(explorer);
}

void Advice::derive(const Explorer& explorer, const Point& point) {
  ++generation_;
  items_.clear();
  if (!point) return;
  static const KernelDeclaration unknown;
  const KernelDeclaration* declared = explorer.kernels().find(point->kernel);
  const KernelDeclaration& kernel = declared == nullptr ? unknown : *declared;
  const DiagnosisInput input{*point, kernel, explorer.selection().find_device(point->device.name)};
  for (Diagnosis& diagnosis : diagnoses_of(input)) {
    Item item{std::move(diagnosis), nullptr, {}};
    item.rule = find_rule(item.diagnosis.kind);
    if (item.rule != nullptr && counts_) {
      for (ParameterChange& change : alternatives_to_count(*item.rule, input)) {
        Option option{std::move(change), std::nullopt};
        if (const Point known = explorer.jobs().find_known(with_change(*point, option.change)))
          option.judged = judge_alternative(*item.rule, *point, option.change, *known);
        item.options.push_back(std::move(option));
      }
      std::stable_sort(item.options.begin(), item.options.end(), comes_first);
    }
    items_.push_back(std::move(item));
  }
}

void Advice::ask_for_next(Explorer& explorer) {
  for (const Item& item : items_) {
    const auto next = std::find_if(item.options.begin(), item.options.end(),
                                   [](const Option& option) { return !option.judged; });
    if (next == item.options.end()) continue;
    Experiment experiment = with_change(*point_, next->change);
    experiment.timing_budget_s = explorer.selection().experiment().timing_budget_s;
    explorer.jobs().measure_aside(Jobs::Aside::alternative, experiment,
                                  [this, alive = std::weak_ptr<bool>(alive_), generation = generation_,
                                   change = next->change](const Point& counted) {
                                    if (!alive.expired() && generation == generation_ && counted)
                                      take(change, counted);
                                  });
    return;
  }
}

// What several diagnoses ask for is counted once.
void Advice::take(const ParameterChange& change, const Point& counted) {
  for (Item& item : items_) {
    for (Option& option : item.options) {
      if (option.change == change)
        option.judged = judge_alternative(*item.rule, *point_, option.change, *counted);
    }
    std::stable_sort(item.options.begin(), item.options.end(), comes_first);
  }
}

void Advice::apply(Explorer& explorer, std::size_t item, const ParameterChange& change) {
  Experiment experiment = explorer.selection().experiment();
  experiment.parameters[change.parameter] = change.value;
  repair_ = Repair{items_.at(item).rule, change, point_, {}};
  applied_.reset();
  explorer.selection().set_experiment(std::move(experiment));
  repair_->experiment = explorer.selection().experiment();
}

void Advice::derive_applied(const Explorer& explorer) {
  if (!repair_ || explorer.shows_another_point() || repair_->experiment != explorer.selection().experiment())
    return applied_.reset();
  const Point now = explorer.jobs().measuring() ? nullptr : explorer.jobs().current_point();
  if (applied_ && applied_->now == now) return;
  applied_ = Applied{repair_->change, repair_->before, now, "", {}};
  if (!now) return;
  applied_->sentence = worth_sentence(*repair_->rule, *repair_->before, *now);
  applied_->rows = worth_of(*repair_->rule, *repair_->before, *now);
}

}  // namespace tilescope
