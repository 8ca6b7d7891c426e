#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/json.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// How a kernel is interpreted, beside the experiment.
struct Tracing {
  bool check = false;               ///< Look for races and other faults.
  std::uint64_t schedule_seed = 0;  ///< Runs the warps in a seeded random order; 0 for the plain one.

  bool operator==(const Tracing&) const = default;
};

/// Which executions of one block's memory instructions are wanted: the addresses that each lane used.
struct WindowSelection {
  std::uint64_t block = 0;  ///< Linear: x + grid.x * (y + grid.y * z)
  /// Lines of the kernel's own file, and lines of its PTX; both empty for all.
  std::vector<std::int64_t> lines, ptx_lines;
  bool shared = true, global = false;   ///< The state spaces.
  std::uint64_t first = 0;              ///< Of the matching executions, counted from 0 ...
  std::uint64_t count = 4096;           ///< ... so many at most.
  std::uint64_t byte_limit = 16 << 20;  ///< [B] that the worker keeps at most.

  bool operator==(const WindowSelection&) const = default;
};

/// What a window ends with: how much there was, and what its events refer to.
struct WindowSummary {
  Status status = Status::ok;
  std::string reason;          ///< A sentence, "" when ok.
  std::uint64_t matching = 0;  ///< Executions of the block that match, sent or not.
  std::uint64_t sent = 0;
  bool truncated = false;  ///< The byte limit was reached before `count`.
  Json sites;              ///< A list: what the events' `site` counts into.
  std::vector<Finding> findings;
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const Tracing& tracing);
void from_json(const Json& json, Tracing& tracing);
void to_json(Json& json, const WindowSelection& selection);
void from_json(const Json& json, WindowSelection& selection);
void to_json(Json& json, const WindowSummary& summary);
void from_json(const Json& json, WindowSummary& summary);

}  // namespace tilescope
