#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sessions/experiment.hpp"
#include "sessions/status.hpp"

namespace tilescope {

/// How many changes of a point are tried.
inline constexpr std::size_t max_tries = 24;

/// One parameter of a point with another value, and what came of it.
struct TriedChange {
  std::string parameter;
  ParameterValue value;
  /// [us] Measured where the point is measured too, else predicted; none where it cannot be compared with the point's.
  std::optional<double> p50_us{};
  /// How it ended; none where it was not tried yet.
  std::optional<Status> status{};
  /// Whether machine code and launch are the point's.
  bool same_code = false;

  bool operator==(const TriedChange&) const = default;
};

/// As sessions/schema.json has it. Reading throws DocumentError.
void to_json(Json& json, const TriedChange& tried);
void from_json(const Json& json, TriedChange& tried);

}  // namespace tilescope
