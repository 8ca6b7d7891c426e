#include "profiler/execution/memory/scaled_tallies.hpp"

#include <vector>

namespace tilescope {
namespace {

using Subject = MemoryCounter::Subject;

void add_to(MemoryCounter::Tally& sum, const MemoryCounter::Tally& tally) {
  sum.executions += tally.executions;
  sum.lanes += tally.lanes;
  sum.wavefronts += tally.wavefronts;
  sum.minimum += tally.minimum;
  for (std::size_t degree = 0; degree < sum.degrees.size(); ++degree)
    sum.degrees[degree] += tally.degrees[degree];
}

}  // namespace

void ScaledTally::add(const MemoryCounter::Tally& tally, double weight) {
  const auto scaled = [weight](std::uint64_t count) { return weight * static_cast<double>(count); };
  executions += scaled(tally.executions);
  lanes += scaled(tally.lanes);
  wavefronts += scaled(tally.wavefronts);
  minimum += scaled(tally.minimum);
  for (std::size_t degree = 0; degree < tally.degrees.size(); ++degree) {
    if (tally.degrees[degree] != 0) degrees[degree] += scaled(tally.degrees[degree]);
  }
}

void ScaledTally::add(const ScaledTally& other) {
  executions += other.executions;
  lanes += other.lanes;
  wavefronts += other.wavefronts;
  minimum += other.minimum;
  for (const auto& [degree, count] : other.degrees) degrees[degree] += count;
}

// The integers of all host threads for each subject and class, then scaled class by class in one order.
std::map<Subject, ScaledTally> scale(std::span<const MemoryCounter* const> counters,
                                     const BlockWeights& weights) {
  std::map<Subject, std::vector<MemoryCounter::Tally>> sums;
  for (const MemoryCounter* counter : counters) {
    for (std::size_t c = 0; c < counter->classes().size(); ++c) {
      const auto& tallies = counter->classes()[c].tallies;
      for (std::size_t t = 0; t < tallies.size(); ++t) {
        auto& sum = sums[counter->subjects()[t]];
        sum.resize(weights.weights().size());
        add_to(sum[c], tallies[t]);
      }
    }
  }
  std::map<Subject, ScaledTally> all;
  for (const auto& [subject, classes] : sums) {
    for (std::size_t c = 0; c < classes.size(); ++c) all[subject].add(classes[c], weights.weights()[c]);
  }
  return all;
}

double growth(std::span<const MemoryCounter* const> counters, const BlockWeights& weights,
              std::uint64_t MemoryCounter::Class::*count) {
  double scaled = 0, plain = 0;
  for (std::size_t c = 0; c < weights.weights().size(); ++c) {
    std::uint64_t sum = 0;
    for (const MemoryCounter* counter : counters) sum += counter->classes()[c].*count;
    scaled += weights.weights()[c] * static_cast<double>(sum);
    plain += static_cast<double>(sum);
  }
  return plain == 0 ? 1 : scaled / plain;
}

}  // namespace tilescope
