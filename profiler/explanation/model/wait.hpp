#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Reasons for which warps of a simulated SM wait.
namespace tilescope::model {

/// Why a warp did not issue an instruction, by what would have to be faster.
enum class Wait : std::uint8_t {
  /// Another warp's turn.
  issue_slots,
  /// Results that no busy unit and no queue delays: stall counts, and what an idle unit or memory takes.
  latency,
  tensor,
  /// Turns of FMA, ALU and the other units of arithmetic.
  arithmetic,
  xu,
  /// Turns of the load-store unit: wavefronts that every layout needs, and conflicts.
  shared_memory,
  bank_conflicts,
  /// L2 and DRAM beyond the latency of a lone access.
  global_memory,
  barriers,
  jumps,
  /// Start of a block.
  start,
};
inline constexpr std::size_t wait_count = 11;

/// Waits by the names of Nsight Compute's warp states.
enum class Stall : std::uint8_t {
  not_selected,
  /// Stall counts: results of fixed latency.
  wait,
  /// Results of global and local memory.
  long_scoreboard,
  /// Results of shared memory, shuffles and MUFU.
  short_scoreboard,
  math_pipe_throttle,
  /// The queue of the load-store unit, for shared memory and for global and local memory.
  mio_throttle,
  lg_throttle,
  barrier,
  membar,
  branch_resolving,
};
inline constexpr std::size_t stall_count = 10;
inline constexpr std::array<std::string_view, stall_count> stall_names{
    "not_selected", "wait",        "long_scoreboard", "short_scoreboard", "math_pipe_throttle",
    "mio_throttle", "lg_throttle", "barrier",         "membar",           "branch_resolving"};

/// Waits of all warps [cycles, summed over warps].
struct WaitSums {
  std::array<double, wait_count> waits{};
  std::array<double, stall_count> stalls{};
  /// By instruction of the code, of the warp that waits for its turn to issue it: issues, and cycles of waits but those
  /// for another warp's turn.
  std::vector<double> issued, waited;

  WaitSums() = default;
  explicit WaitSums(std::size_t instructions) : issued(instructions), waited(instructions) {}
  /// A block whose warps have not begun: they are not stalled.
  void add_start(double cycles) { waits[static_cast<std::size_t>(Wait::start)] += cycles; }
  void add(Wait wait, Stall stall, std::size_t instruction, double cycles) {
    waits[static_cast<std::size_t>(wait)] += cycles;
    stalls[static_cast<std::size_t>(stall)] += cycles;
    if (wait != Wait::issue_slots && instruction < waited.size()) waited[instruction] += cycles;
  }
};

}  // namespace tilescope::model
