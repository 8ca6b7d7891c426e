#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/shell/explorer_implementation.hpp"

namespace tilescope {

namespace {

using Clock = std::chrono::steady_clock;

// In one call of update(): the window draws in between.
constexpr std::chrono::milliseconds skipping_budget{2};

}  // namespace

Explorer::SweepCount Explorer::Implementation::count_sweep(const SweptParameters& swept) {
  Experiment base = history.current();
  base.parameters = kernel().complete(base.parameters);
  for (const auto& [name, values] : swept) base.parameters.erase(name);
  const bool same = counted && counted->kernel == kernel().name &&
                    counted->kernels_revision == kernels_revision && counted->device == device().name &&
                    counted->base == base && counted->swept == swept;
  if (!same) {
    if (counted) counted->stop = true;
    const SweepGrid grid{kernel(), device(), base, swept};
    counted = std::make_shared<CountedSweep>();
    counted->kernel = grid.kernel.name;
    counted->kernels_revision = kernels_revision;
    counted->device = grid.device.name;
    counted->base = std::move(base);
    counted->swept = swept;
    counted->configurations = size_of(grid);
    background.start([this, grid, count = counted] {
      auto valid = std::make_shared<std::vector<Experiment>>(valid_experiments(grid, count->stop));
      return [this, count, valid] {
        count->valid = std::move(*valid);
        count->judged = true;
        if (count == counted && starts_when_counted) begin_counted_sweep();
      };
    });
  }
  if (!counted->judged) return {counted->configurations, std::nullopt};
  return {counted->configurations, counted->valid.size()};
}

void Explorer::Implementation::start_sweep(const SweptParameters& swept) {
  if (!connection) {
    messages.push_back("A sweep needs a worker, and this window was started without one.");
    return;
  }
  cancel_sweep();
  starts_when_counted = true;
  if (count_sweep(swept).valid) begin_counted_sweep();
}

void Explorer::Implementation::begin_counted_sweep() {
  starts_when_counted = false;
  if (counted->valid.empty()) {
    messages.push_back("The sweep holds no valid configuration: choose other parameters to sweep.");
    return;
  }
  sweep = std::make_unique<SweepTask>(std::move(counted->valid));
  counted.reset();
  advance_sweep();
}

void Explorer::Implementation::advance_sweep() {
  if (!sweep) return;
  const auto until = Clock::now() + skipping_budget;
  while (!connection->pending(sweep_tag)) {
    if (Clock::now() > until) {
      if (wake) wake();
      return;
    }
    const auto experiment = sweep->next();
    if (!experiment) break;
    const auto found = by_key.find(key(*experiment));
    if (found != by_key.end() && is_final(*found->second)) {
      sweep->skip();
      continue;
    }
    connection->request(sweep_tag, *experiment, [this](const Point& point) {
      if (point->status != Status::cancelled) add(point, "");
      if (sweep) sweep->record(*point);
    });
  }
  if (!sweep->finished()) return;
  if (!sweep->gave_up().empty()) messages.push_back(sweep->gave_up());
  if (sweep->skipped() == sweep->total())
    messages.push_back(fmt::format("All {} points of the sweep are in the session already.", sweep->total()));
  sweep.reset();
  configuration_changed = true;
}

void Explorer::Implementation::cancel_sweep() {
  starts_when_counted = false;
  if (!sweep) return;
  sweep.reset();
  connection->cancel(sweep_tag);
}

}  // namespace tilescope
