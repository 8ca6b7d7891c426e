#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/views/code/linked_listing.hpp"
#include "sessions/memory_counts.hpp"
#include "sessions/prediction.hpp"

namespace tilescope {

/// Metric by which the lines of a kernel are compared.
enum class HeatMetric {
  /// Predicted time [us]: in which its instructions are issued, and in which warps wait before they are.
  time,
  /// Wavefronts of shared memory beyond the minimum, in the whole kernel.
  excess,
  /// Sectors of global memory beyond the minimum, in the whole kernel.
  sectors,
  /// Warp instructions that the whole launch executes, or one block where the launch's are not known.
  executions,
  /// Instructions of the machine code.
  instructions,
  /// Findings of the checkers: races, accesses out of bounds ...
  findings,
};
inline constexpr std::array<HeatMetric, 6> all_heat_metrics = {
    HeatMetric::time,       HeatMetric::excess,       HeatMetric::sectors,
    HeatMetric::executions, HeatMetric::instructions, HeatMetric::findings};
/// Whether a line is better without it: not of executions and instructions.
bool is_bad(HeatMetric metric);
/// "Excess wavefronts"
std::string to_words(HeatMetric metric);
/// For panel options: "excess".
std::string tag_of(HeatMetric metric);

/// Sources of the figures; each is nullptr where it is not there.
struct HeatSources {
  const MemoryCounts* counts = nullptr;
  /// Sites of one recorded block, each with its own instruction: they divide the counts of a line of CUDA, which name the
  /// first instruction alone.
  const std::vector<MemorySite>* block_sites = nullptr;
  const BlockRecording* recording = nullptr;
  /// Findings of the checkers; nullptr where they have not run.
  const std::vector<Finding>* findings = nullptr;
  /// With the time of its lines, where it was explained.
  const Prediction* prediction = nullptr;
  /// Their times and executions in the same launch.
  const std::vector<InstructionTime>* instructions = nullptr;
};

/// The way a line's figure relates to a count of the whole kernel.
enum class HeatPart {
  /// All of it.
  whole,
  /// Its share, divided among the copies of the access as in the recorded block.
  divided,
  /// All of it, because no recorded block says how to divide it: other copies may have caused it too.
  first_copy,
};

/// One figure for each line of a listing, 0 for none.
struct LineHeat {
  HeatMetric metric = HeatMetric::excess;
  /// By CodeColumn and row. The CUDA line of an inlined function counts, not its call's.
  std::array<std::vector<double>, 3> values;
  /// Issue and waits by CodeColumn and row, for times alone.
  std::array<std::vector<LineTime>, 3> times;
  /// By row of the PTX and of the machine code; empty for figures that are not divided.
  std::array<std::vector<HeatPart>, 3> parts;
  /// The largest of each column.
  std::array<double, 3> most{};
  /// Figure of the whole kernel, of which shares are taken.
  double total = 0;
  /// The figures belong to machine instructions; else to lines of the PTX, and the machine instructions that were made
  /// from them show them, too.
  bool is_of_machine_code = false;
  /// Whether one block was executed, not the launch.
  bool is_of_one_block = false;
  /// Where the figures are from: "counted from the machine code over 6 of 128 blocks, scaled to all".
  std::string origin;
  /// Instead of figures: what is missing and how to get it; "" where there are some.
  std::string why_none;

  double value(CodeColumn column, std::size_t row) const {
    const std::vector<double>& list = values[static_cast<std::size_t>(column)];
    return row < list.size() ? list[row] : 0;
  }
  /// 0 to 1, of the hottest line of the column.
  double share_of_most(CodeColumn column, std::size_t row) const {
    const double largest = most[static_cast<std::size_t>(column)];
    return largest > 0 ? value(column, row) / largest : 0;
  }
};

/// The rows of a column that have a figure, the largest first.
std::vector<std::uint32_t> hottest_rows(const LineHeat& heat, CodeColumn column);

LineHeat line_heat(HeatMetric metric, const LinkedListing& listing, const HeatSources& sources);

/// "1,234 excess wavefronts, 37.2 % of the kernel's"; "" for a line without a figure.
std::string heat_text(const LineHeat& heat, CodeColumn column, std::size_t row);

/// The figure alone, for a narrow column: "1.23 M", of times [us] "12.4".
std::string heat_figure(const LineHeat& heat, CodeColumn column, std::size_t row);

/// A line for each line of the columns: column, line, heat and text.
std::string listing_csv(const LinkedListing& listing, const LineHeat& heat,
                        const std::vector<CodeColumn>& columns);

}  // namespace tilescope
