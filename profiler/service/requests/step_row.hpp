#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {

/// One query row after a tile of keys, as the kernel's probes name it and as float64 computes it of the same keys.
struct RowTile {
  /// Where the newest of its values was known.
  std::uint64_t slot = 0;
  std::int64_t first_key = 0, keys = 0;
  /// Scaled scores in natural units, -inf where masked; NaN where no probe names them. In the order of the keys.
  std::vector<double> scores;
  /// The running maximum and sum behind this tile, the factor that rescaled what was there before, and the output so far,
  /// divided by the sum [D]. NaN and empty where no probe names them. Natural units.
  double m = 0, l = 0, rescale = 0;
  std::vector<double> output;
  /// m and l of all keys up to the end of this tile, in float64. -inf and 0 for a row that saw no key.
  double exact_m = 0, exact_l = 0;
  std::vector<double> exact_output;
  /// The largest difference of the outputs; NaN where the kernel's is NaN or not known.
  double error = 0;

  bool operator==(const RowTile&) const = default;
};

/// The tiles that one warp saw: a kernel may divide the keys of a row among its warps.
struct RowPart {
  std::int64_t warp = 0;
  std::vector<RowTile> tiles;

  bool operator==(const RowPart&) const = default;
};

struct StepRowHistory {
  Status status = Status::ok;
  std::string reason;
  std::string source_sha256;
  /// The row, in the sequence.
  std::int64_t row = 0;
  /// The rows that the block's probes name, ascending.
  std::vector<std::int64_t> rows;
  /// The row of them whose final output is farthest from float64, and how far; -1 for none.
  std::int64_t worst_row = -1;
  double worst_error = 0;
  std::vector<RowPart> parts;
  /// The final output in memory and the exact one. [D]
  std::vector<double> output, exact_output;
  /// Sum of naive softmax without the maximum, in float32: sum of exp(score), inf where it overflows.
  double naive_sum = 0;
  /// Why there is nothing to show: a sentence, else "".
  std::string missing;
};

/// The online softmax of one row, tile after tile, over the whole block.
struct StepRow {
  static constexpr const char* name = "step_row";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    SteppedBlockChoice block;
    /// -1: the one with the largest error.
    std::int64_t row = -1;
  };
  using Answer = StepRowHistory;
};

void to_json(Json& json, const RowTile& value);
void from_json(const Json& json, RowTile& value);
void to_json(Json& json, const RowPart& value);
void from_json(const Json& json, RowPart& value);
void to_json(Json& json, const StepRowHistory& history);
void from_json(const Json& json, StepRowHistory& history);
void to_json(Json& json, const StepRow::Params& params);
void from_json(const Json& json, StepRow::Params& params);

}  // namespace tilescope
