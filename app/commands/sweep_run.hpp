#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "app/commands/measuring.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/sweep_plan.hpp"

namespace tilescope {

/// What came of a sweep.
struct SweepResult {
  std::vector<std::shared_ptr<const Measurement>> points;  ///< In the order of the grid.
  std::size_t reused = 0;  ///< Of the points: they were in the session already.
  std::size_t outdated =
      0;  ///< Points in the session that are of another source of the kernel: measured again.
  bool interrupted = false;
  std::string gave_up;  ///< Why the sweep ended by itself, "" otherwise.
};

/// Measures what the session does not have yet, and writes the session after every point.
SweepResult run_sweep(const SweepPlan& plan, Measuring& measuring, SessionFile& session);

/// The points as a table, the fastest first, at most `most_rows` of them.
std::string sweep_text(const SweepPlan& plan, const SweepResult& result, std::size_t most_rows);

/// `sweep --json`.
Json sweep_document(const SweepPlan& plan, const SweepResult& result);

/// Says on stderr what a person must know of the end of a sweep, and returns the exit code that it stands
/// for.
ExitCode conclude_sweep(const SweepPlan& plan, const SweepResult& result, const SessionFile& session);

}  // namespace tilescope
