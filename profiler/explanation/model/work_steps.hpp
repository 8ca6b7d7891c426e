#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::model {

/// The work of a block that was executed, by its x.
struct KnownWork {
  std::uint64_t x = 0;
  /// [warp instructions]
  double work = 0;
};

/// Work that grows in equal steps along x: under a causal mask, by a tile of keys after every few blocks.
struct WorkSteps {
  /// Blocks from one step to the next, at least 2.
  std::uint64_t period = 2;
  /// x modulo the period, of blocks with a step before them.
  std::uint64_t phase = 0;
  /// [warp instructions] From a block to the next one without a step, and what a step adds to that.
  double rise = 0, step = 0;

  /// From x to x + 1.
  double from(std::uint64_t x) const { return rise + ((x + 1) % period == phase ? step : 0); }
};

/// The steps that neighbours among the known blocks show, if all of them agree; the first and the last known block are left
/// out, since they may have fewer rows. `known`: by ascending x.
std::optional<WorkSteps> find_steps(const std::vector<KnownWork>& known);

/// The work of each x from 0 to size - 1: of the known ones theirs, between them linear, or in the steps if there are any.
std::vector<float> work_by_x(const std::vector<KnownWork>& known, std::uint64_t size,
                             const std::optional<WorkSteps>& steps);

}  // namespace tilescope::model
