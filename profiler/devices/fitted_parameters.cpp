#include "profiler/devices/fitted_parameters.hpp"

namespace tilescope {
namespace {

using Numbers = FittedNumbers;

// Name, unit and limits; then the number, what is assumed of it, and the first step. Assumed values are round numbers
// near the H200's: issue_slowdown comes from an earlier fit to the same points; l2_kept lies between 0.4 and 0.55, with
// which large inputs were predicted better there than with what that fit gave. An overhead may be 0: the fit found
// none.
constexpr FittedParameter parameters[] = {
    {{"launch_us", "us", 0, 20, "a launch in a graph, beyond its blocks"}, &Numbers::launch_us, 0.8, 0.2},
    {{"block_start_cycles", "cycles", 0, 5000, "from the start of a block to its first instruction"},
     &Numbers::block_start_cycles,
     75,
     75},
    {{"fetch_cycles", "cycles", 0, 200,
      "for 128 B of code that a quarter of an SM executes for the first time"},
     &Numbers::fetch_cycles,
     10,
     3},
    {{"jump_cycles", "cycles", 0, 40, "a jump, beyond its stall count"}, &Numbers::jump_cycles, 4, 2},
    {{"shared_wait_cycles", "cycles", 0, 40, "a result from shared memory, beyond its latency"},
     &Numbers::shared_wait_cycles,
     2,
     2},
    {{"store_cycles", "cycles", 0, 300, "from a store to shared memory until a barrier counts it"},
     &Numbers::store_cycles,
     4,
     4},
    {{"barrier_wait_cycles", "cycles", 0, 200, "a block barrier, beyond its latency"},
     &Numbers::barrier_wait_cycles,
     12,
     6},
    {{"issue_slowdown", "1", 1, 2,
      "issue slots of an instruction that is not executed by the FMA pipe or the tensor cores"},
     &Numbers::issue_slowdown,
     1.35,
     0.05},
    {{"tensor_slowdown", "1", 1, 4, "time of tensor cores over the peak's"},
     &Numbers::tensor_slowdown,
     1,
     0.05},
    {{"fma_slowdown", "1", 1, 4, "time of the FMA pipe over the peak's"}, &Numbers::fma_slowdown, 1, 0.05},
    {{"lsu_slowdown", "1", 1, 4, "time of the load-store unit over one wavefront a cycle"},
     &Numbers::lsu_slowdown,
     1.05,
     0.05},
    {{"l2_slowdown", "1", 0.5, 4, "time of traffic from L2 over its bandwidth's"},
     &Numbers::l2_slowdown,
     1,
     0.1},
    {{"l2_kept", "1", 0.1, 1,
      "the part of L2 that a launch may touch without losing any of it to the next one"},
     &Numbers::l2_kept,
     0.68,
     0.02},
};

// A launch takes a nanosecond at least, and none a quarter of an hour.
constexpr FittedFigure others[] = {
    {fitted_error, "1", 0, 1000, "error that 90 % of the points stay below, and half as much again"},
    {fitted_least_us, "us", 0.001, 1e9, "shortest latency that was fitted to"},
    {fitted_most_us, "us", 0.001, 1e9, "longest latency that was fitted to"},
};

}  // namespace

std::span<const FittedParameter> fitted_parameters() {
  return parameters;
}

std::vector<FittedFigure> fitted_figures() {
  std::vector<FittedFigure> figures(fitted_parameters().begin(), fitted_parameters().end());
  figures.insert(figures.end(), std::begin(others), std::end(others));
  return figures;
}

}  // namespace tilescope
