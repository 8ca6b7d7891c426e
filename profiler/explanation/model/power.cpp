#include "profiler/explanation/model/power.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope::model {
namespace {

constexpr double pj = 1e-12;
constexpr double lanes_of_warp = 32;
constexpr double bytes_of_wavefront = 128;

// Measured on an H200 at 1,980 MHz (hardware/power_mixes.cu, power_mixes_h200.csv): power beyond what waiting SMs take, over the
// rate. FMA and MUFU with what it takes to issue them, for a lane; reads of shared memory and L2 for a byte.
constexpr double tensor_pj_of_flop = 1.09;
constexpr double fma_pj_of_lane = 8.3;
constexpr double xu_pj_of_lane = 10.2;
constexpr double shared_pj_of_byte = 0.84;
constexpr double l2_pj_of_byte = 47.7;
constexpr double l2_sms = 132;
// DRAM, beyond L2: HBM3e as measured there. GDDR6 is assumed to take as much: of the 204 W of an L40 that streams
// 844 GB/s (published/power.csv) DRAM then takes 57 W, L2 and the way to it 64 W.
constexpr double dram_pj_of_byte = 67;
// Assumed: simpler than an FMA.
constexpr double other_pj_of_lane = 5;

// Voltage over that at reference_clock_mhz, by the clock over it: products took 12 % less energy at 1,845 than at 1,980 MHz on
// the H200, and an FMA of an L40 at 2,520 MHz 1.5 times an H200's. The lowest is assumed.
constexpr double voltage_slope = 0.9;
constexpr double lowest_voltage = 0.7;

// The part of an idle GPU's power that does not change with the clock: an H200 takes 78 W at 345 MHz and 126 at 1,980.
constexpr double idle_at_any_clock = 0.6;

double voltage(double clock_mhz) {
  return std::max(lowest_voltage, 1 + voltage_slope * (clock_mhz / reference_clock_mhz - 1));
}

double pj_of_lane(Unit unit) {
  switch (unit) {
    case Unit::tensor:
      return 0;
    case Unit::fma_light:
    case Unit::fma_heavy:
    case Unit::fp16:
    case Unit::fp64:
      return fma_pj_of_lane;
    case Unit::xu:
      return xu_pj_of_lane;
    default:
      return other_pj_of_lane;
  }
}

}  // namespace

LaunchEnergy launch_energy(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs,
                           const Traffic& traffic, double dram_bytes, const ModelParameters& parameters) {
  LaunchEnergy energy;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const ExecutedInstruction& one = kernel.code[i];
    if (costs[i].is_left_out || one.executions <= 0) continue;
    const double products = 2.0 * one.facts.products * tensor_pj_of_flop;
    const double lanes = lanes_of_warp * pj_of_lane(costs[i].unit);
    const double shared = one.wavefronts * bytes_of_wavefront * shared_pj_of_byte;
    energy.chip += one.executions * (products + lanes + shared) * pj;
  }
  // Assumed: the ways to L2 are as long as the chip is wide.
  const double l2 = l2_pj_of_byte * std::sqrt(parameters.sms / l2_sms);
  energy.chip += (traffic.loads + traffic.stores + traffic.local) * l2 * pj;
  energy.dram = dram_bytes * dram_pj_of_byte * pj;
  return energy;
}

double power(const LaunchEnergy& energy, double us, double clock_mhz, const ModelParameters& parameters) {
  const double volts = voltage(clock_mhz), boost_volts = voltage(parameters.clock_mhz);
  const double swing = clock_mhz * volts * volts / (parameters.clock_mhz * boost_volts * boost_volts);
  const double idle = parameters.idle_w * (idle_at_any_clock + (1 - idle_at_any_clock) * swing);
  if (us <= 0) return idle;
  return idle + (energy.chip * volts * volts + energy.dram) / (us * 1e-6);
}

double clock_under_cap(const LaunchEnergy& energy, const BoostTime& time, const ModelParameters& parameters) {
  const double boost = parameters.clock_mhz;
  if (parameters.power_limit_w <= 0 || parameters.idle_w <= 0) return boost;
  const double longer = std::max(time.sm_us, time.dram_us);
  const auto is_within = [&](double clock) {
    const double slower = std::max(time.sm_us * boost / clock, time.dram_us);
    const double us = longer > 0 ? time.us * slower / longer : time.us;
    return power(energy, us, clock, parameters) <= parameters.power_limit_w;
  };
  if (is_within(boost)) return boost;
  double low = boost / 4, high = boost;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (is_within(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace tilescope::model
