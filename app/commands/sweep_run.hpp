#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "app/commands/command.hpp"
#include "app/commands/session_file.hpp"
#include "base/json_fwd.hpp"
#include "profiler/service/client/campaign.hpp"
#include "profiler/service/client/client.hpp"
#include "profiler/service/client/prefetch_requests.hpp"
#include "profiler/service/client/sweep.hpp"
#include "sessions/compare/shape_matrix.hpp"

namespace tilescope {

/// Outcome of a sweep.
struct SweepResult {
  explicit SweepResult(const SweepPlan& plan) : campaign(plan_of(plan.experiments)) {}

  Campaign campaign;
  bool interrupted = false;

  std::size_t missing() const { return campaign.total() - campaign.points().size(); }
};

struct SweepOptions {
  /// A point's.
  std::chrono::milliseconds time_limit{};
  /// How many of the next points the worker compiles while one is measured.
  std::size_t compiled_ahead = points_compiled_ahead();
};

/// Measures what the session does not have yet, and writes the session after every point.
SweepResult run_sweep(const SweepGrid& grid, const SweepPlan& plan, Client& client, SessionFile& session,
                      const SweepOptions& options);

/// The points of a sweep over several shapes as a matrix; nothing for one shape, and where there is no point.
std::optional<ShapeMatrix> sweep_matrix(const SweepGrid& grid, const SweepResult& result);

/// With several shapes the matrix, at most `most_rows` of it. Else the points as a table, the fastest first, at most
/// `most_rows` of them; those that were not timed come after them, by their predictions.
std::string sweep_text(const SweepGrid& grid, const SweepPlan& plan, const SweepResult& result,
                       std::size_t most_rows);

/// `sweep --json`.
Json sweep_document(const SweepGrid& grid, const SweepPlan& plan, const SweepResult& result);

/// Says on stderr what the user must know of the end of a sweep, and returns the exit code that it stands for.
ExitCode conclude_sweep(const SweepResult& result, const SessionFile& session);

}  // namespace tilescope
