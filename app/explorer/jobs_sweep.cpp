// Jobs: its sweep.

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "app/explorer/jobs.hpp"

namespace tilescope {

namespace {

using Clock = std::chrono::steady_clock;

const char* const sweep_tag = "sweep";

// In one call of update(): the window draws in between.
constexpr std::chrono::milliseconds skipping_budget{2};

}  // namespace

bool Jobs::is_counted(const SweepGrid& grid) const {
  return counted_ && counted_->kernels_revision == parts_.kernels.revision() &&
         counted_->grid.kernel.name == grid.kernel.name && counted_->grid.device.name == grid.device.name &&
         counted_->grid.base == grid.base && counted_->grid.swept == grid.swept;
}

Jobs::SweepCount Jobs::count_sweep(const SweptParameters& swept) {
  SweepGrid grid{parts_.selection.kernel(), parts_.selection.device(), parts_.selection.experiment(), swept};
  grid.base.parameters = grid.kernel.complete(grid.base.parameters);
  for (const auto& [name, values] : swept) grid.base.parameters.erase(name);
  if (!is_counted(grid)) {
    if (counted_) counted_->stop = true;
    counted_ = std::make_shared<CountedSweep>();
    counted_->grid = std::move(grid);
    counted_->kernels_revision = parts_.kernels.revision();
    parts_.background.start([this, count = counted_] {
      auto plan = std::make_shared<SweepPlan>();
      std::string problem;
      try {
        *plan = plan_sweep(count->grid, [count] { return bool(count->stop); });
      } catch (const GridTooLarge& error) {
        problem = error.what();
      }
      return [this, count, plan, problem] {
        count->valid = std::move(plan->experiments);
        count->problem = problem;
        count->judged = true;
        if (count == counted_ && starts_when_counted_) begin_counted_sweep();
      };
    });
  }
  if (!counted_->judged) return {counted_->grid.size(), std::nullopt};
  return {counted_->grid.size(), counted_->valid.size(), counted_->problem};
}

void Jobs::start_sweep(const SweptParameters& swept) {
  if (!client_) {
    parts_.notices.say("A sweep needs a worker, and this window was started without one.");
    return;
  }
  cancel_sweep();
  starts_when_counted_ = true;
  if (count_sweep(swept).valid) begin_counted_sweep();
}

void Jobs::begin_counted_sweep() {
  starts_when_counted_ = false;
  if (!counted_->problem.empty()) {
    parts_.notices.say("The sweep is too large: " + counted_->problem + ".");
    return;
  }
  if (counted_->valid.empty()) {
    parts_.notices.say("The sweep has no valid configuration: choose other values or parameters to sweep.");
    return;
  }
  swept_parameters_.clear();
  for (const ParameterDeclaration& parameter : counted_->grid.kernel.parameters) {
    const auto is_this = [&](const auto& entry) { return entry.first == parameter.name; };
    if (std::any_of(counted_->grid.swept.begin(), counted_->grid.swept.end(), is_this))
      swept_parameters_.push_back(parameter.name);
  }
  swept_kernel_ = counted_->grid.kernel.name;
  taken_prefetched_ = 0;
  ++sweeps_started_;
  sweep_summary_.reset();
  stop_prefetching();
  sweep_ = std::make_unique<Campaign>(plan_of(std::move(counted_->valid)));
  counted_.reset();
  advance_sweep();
}

void Jobs::advance_sweep() {
  if (!sweep_ || sweep_request_.waits()) return;
  const auto until = Clock::now() + skipping_budget;
  const auto lookup = [this](const Experiment& experiment) -> std::optional<PointStore::Found> {
    const Experiment complete = parts_.selection.complete(experiment);
    const auto known = look_up(complete);
    if (!known) return std::nullopt;
    if (known->is_prefetched) ++taken_prefetched_;
    choose(*known, complete);
    return PointStore::Found{known->point, known->standing};
  };
  if (const auto experiment = sweep_->next(lookup, [until] { return Clock::now() <= until; }))
    return ask_for_sweep_point(*experiment);
  if (!sweep_->finished()) return parts_.mailbox.wake();
  if (!sweep_->gave_up().empty()) parts_.notices.say(sweep_->gave_up());
  end_sweep(false);
}

void Jobs::ask_for_sweep_point(const Experiment& experiment) {
  // These are not chosen yet.
  const auto known = [this](const Experiment& next) -> std::optional<PointStore::Found> {
    const SharedMeasurement point = find_known(next);
    return point ? std::optional(PointStore::Found{point, Standing::final}) : std::nullopt;
  };
  prefetch_code(sweep_->upcoming(points_compiled_ahead(), known));
  const auto take = [this, experiment, asked = parts_.selection.complete(experiment)](Measurement measurement,
                                                                                      bool is_cancelled) {
    const auto point = std::make_shared<const Measurement>(std::move(measurement));
    if (prefetch_->take_blame(point->status) && !is_cancelled) return ask_for_sweep_point(experiment);
    if (point->status != Status::cancelled) parts_.points.add(point, asked);
    if (!is_cancelled) sweep_->record(point);
  };
  sweep_request_ = requests_.ask<Measure>(sweep_tag, {experiment},
                                          {[take](Measurement answer) { take(std::move(answer), false); },
                                           [take](Measurement answer) { take(std::move(answer), true); }},
                                          time_limit_);
}

void Jobs::end_sweep(bool cancelled) {
  sweep_summary_ = summarize_sweep({sweep_->points(), sweep_->total(), sweep_->reused(), sweep_->elapsed_s(),
                                    cancelled, swept_parameters_, swept_kernel_, taken_prefetched_});
  sweep_.reset();
  prefetch_->stop_compiling();
  parts_.notices.draw_again();
}

void Jobs::cancel_sweep() {
  starts_when_counted_ = false;
  if (!sweep_) return;
  end_sweep(true);
  sweep_request_.cancel();
}

}  // namespace tilescope
