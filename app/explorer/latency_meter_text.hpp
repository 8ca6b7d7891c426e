#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/explorer/latency_meter.hpp"
#include "base/json_fwd.hpp"

namespace tilescope {

/// The figures of a latency meter as a table shows them. [ms]
struct LatencyMeterTable {
  struct Cell {
    /// "-" for none.
    std::string median;
    /// "" for none.
    std::string p90;
  };
  struct Row {
    std::string title;
    std::string help;
    std::string moves;
    std::array<Cell, answer_stages> drawn;
  };
  std::array<std::string, answer_stages> headers;
  std::vector<Row> rows;
  struct Stall {
    /// "Longest turn of the window's loop in the last minute: 15.1 ms"
    std::string text;
    std::string help;
  };
  /// The longest turn of the loop, and the longest update or frame in one.
  std::array<Stall, 2> stalls;
};
LatencyMeterTable latency_meter_table(const LatencyMeter& meter);

/// The table for the clipboard: columns separated by tabs.
std::string latency_meter_text(const LatencyMeter& meter);

/// {moves, longest_turn_ms, longest_part_ms, stages_drawn {stage: count}, figures [{source, stage, count, received_ms,
/// drawn_ms, drawn_p90_ms}]}, for tests and benchmarks; the source of moves without an answer is null.
Json latency_meter_json(const LatencyMeter& meter);

}  // namespace tilescope
