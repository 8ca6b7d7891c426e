#pragma once

#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/l2_state.hpp"
#include "profiler/explanation/model/model_parameters.hpp"

/// The clock that a power cap leaves to a launch: the one at which its energy, over its time, is the cap's.
namespace tilescope::model {

/// Energy that one launch adds to what an idle GPU takes [J].
struct LaunchEnergy {
  /// Taken by the SMs and L2, at reference_clock_mhz: it grows with the square of the voltage, and so with the clock.
  double chip = 0;
  /// Taken by DRAM, at any clock.
  double dram = 0;
};

/// [MHz] The clock of the H200 on which the energies were measured.
inline constexpr double reference_clock_mhz = 1980;

/// A launch at the boost clock [us]: its time, the part in which warps do not wait for L2 and DRAM, and what DRAM needs for its
/// bytes. DRAM works while the SMs do: the longer of both is the time at a lower clock.
struct BoostTime {
  double us = 0, sm_us = 0, dram_us = 0;
};

/// `costs`: by ExecutedKernel::code; `dram_bytes`: that one launch moves [B].
LaunchEnergy launch_energy(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs,
                           const Traffic& traffic, double dram_bytes, const ModelParameters& parameters);

/// [W] of a GPU that repeats a launch of `us` at a clock.
double power(const LaunchEnergy& energy, double us, double clock_mhz, const ModelParameters& parameters);

/// [MHz] The highest clock, of the boost clock at most, at which launches back to back take no more than the cap; the
/// boost clock where the device has no known cap.
double clock_under_cap(const LaunchEnergy& energy, const BoostTime& time, const ModelParameters& parameters);

}  // namespace tilescope::model
