#include "profiler/explanation/occupancy/cliffs.hpp"

#include <algorithm>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/views/occupancy/occupancy_series.hpp"

namespace tilescope {

namespace {

bool is_same_step(const Occupancy& a, const Occupancy& b) {
  return a.blocks_per_sm == b.blocks_per_sm && a.warps_per_sm == b.warps_per_sm && a.limiter == b.limiter;
}

/// Finds the steps of one quantity: from the last known amount to a further one.
class StepFinder {
 public:
  StepFinder(const DeviceModel& device, const BlockNeeds& needs, BlockQuantity quantity)
      : device_(device), needs_(needs), quantity_(quantity) {}

  std::vector<CliffStep> find() {
    const std::int64_t first = smallest_amount(quantity_);
    const std::int64_t last = largest_amount(quantity_, device_);
    if (last < first) return {};
    steps_.push_back({first, first, at(first)});
    if (quantity_ == BlockQuantity::threads) {
      // Warps rise and fall with the threads of a block: every amount is asked for.
      for (std::int64_t amount = first + 1; amount <= last; ++amount) take(amount, at(amount));
    } else {
      bisect(first, steps_.front().occupancy, last, at(last));
    }
    return std::move(steps_);
  }

 private:
  Occupancy at(std::int64_t amount) const { return occupancy_with(device_, needs_, quantity_, amount); }

  /// Takes the amounts after the last one taken up to `amount`, of which the last one has this occupancy, and the
  /// others the last step's.
  void take(std::int64_t amount, const Occupancy& occupancy) {
    CliffStep& step = steps_.back();
    if (is_same_step(step.occupancy, occupancy)) {
      step.last = amount;
    } else {
      step.last = amount - 1;
      steps_.push_back({amount, amount, occupancy});
    }
  }

  /// More registers and more shared memory never let more blocks in, and once one of them limits it goes on to limit:
  /// where both ends are on one step, so is all between them.
  void bisect(std::int64_t from, const Occupancy& there, std::int64_t to, const Occupancy& here) {
    if (from == to) return;
    if (to == from + 1 || is_same_step(there, here)) return take(to, here);
    const std::int64_t middle = from + (to - from) / 2;
    const Occupancy between = at(middle);
    bisect(from, there, middle, between);
    bisect(middle, between, to, here);
  }

  const DeviceModel& device_;
  const BlockNeeds& needs_;
  BlockQuantity quantity_;
  std::vector<CliffStep> steps_;
};

}  // namespace

std::size_t Cliff::find(std::int64_t at) const {
  const auto step = std::find_if(steps.begin(), steps.end(), [&](const CliffStep& candidate) {
    return at >= candidate.first && at <= candidate.last;
  });
  return static_cast<std::size_t>(step - steps.begin());
}

std::array<Cliff, 3> occupancy_cliffs(const DeviceModel& device, const BlockNeeds& needs) {
  std::array<Cliff, 3> cliffs;
  for (std::size_t i = 0; i < cliffs.size(); ++i) {
    const BlockQuantity quantity = block_quantities[i];
    cliffs[i] = {quantity, needs.amount(quantity), StepFinder(device, needs, quantity).find()};
  }
  return cliffs;
}

std::string step_words(const Occupancy& occupancy) {
  if (occupancy.blocks_per_sm == 0)
    return "the block does not fit on an SM: " + resource_words(occupancy.limiter);
  return limited_words(occupancy);
}

std::string step_heading(const Cliff& cliff, const CliffStep& step) {
  const std::string first = format_count(step.first);
  const std::string amounts = step.first == step.last ? first : first + " to " + format_count(step.last);
  return amounts + (cliff.quantity == BlockQuantity::shared_memory ? " B of " : " ") +
         to_words(cliff.quantity);
}

std::vector<TextPair> step_tooltip(const CliffStep& step) {
  return {{"blocks per SM", format_count(step.occupancy.blocks_per_sm)},
          {"warps per SM", format_count(step.occupancy.warps_per_sm)},
          {"occupancy", format_percent(step.occupancy.fraction)},
          {"limiter", step_words(step.occupancy)}};
}

std::string cliffs_csv(const std::array<Cliff, 3>& cliffs) {
  CsvText csv;
  csv.add(
      {"quantity", "first", "last", "blocks per SM", "warps per SM", "occupancy [%]", "limiter", "current"});
  for (const Cliff& cliff : cliffs) {
    for (const CliffStep& step : cliff.steps) {
      const bool is_current = cliff.amount >= step.first && cliff.amount <= step.last;
      csv.add({to_words(cliff.quantity), std::to_string(step.first), std::to_string(step.last),
               std::to_string(step.occupancy.blocks_per_sm), std::to_string(step.occupancy.warps_per_sm),
               csv_number(step.occupancy.fraction * 100), step_words(step.occupancy),
               is_current ? std::to_string(cliff.amount) : ""});
    }
  }
  return csv.text();
}

}  // namespace tilescope
