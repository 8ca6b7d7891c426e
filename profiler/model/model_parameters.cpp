#include "profiler/model/model_parameters.hpp"

#include <algorithm>

#include "profiler/sass/cubin.hpp"

namespace tilescope::model {
namespace {

// What is published of an architecture, for devices that were not calibrated. Cycles; [B/clk/SM].
struct PublishedFigures {
  int architecture;
  double shared_load, l1, l2, dram, l2_bytes, async_copy;
};
constexpr PublishedFigures published[] = {{80, 29, 36, 300, 571, 35, 26},
                                          {86, 29, 36, 276, 580, 14.8, 26},
                                          {89, 29, 36, 276, 580, 14.8, 26},
                                          {90, 29, 34, 300, 650, 35, 26}};

const PublishedFigures& published_figures(int architecture) {
  const PublishedFigures* best = &published[0];
  for (const PublishedFigures& figures : published) {
    if (figures.architecture <= architecture) best = &figures;
  }
  return *best;
}

class Figures {
 public:
  Figures(const DeviceModel& device, bool use) : device_(device), use_(use) {}
  double get(const std::string& name, double otherwise) const {
    const auto found = device_.measured.find(name);
    return use_ && found != device_.measured.end() ? found->second.value : otherwise;
  }

 private:
  const DeviceModel& device_;
  const bool use_;
};

}  // namespace

ModelParameters model_parameters(const DeviceModel& device, bool use_calibration) {
  const Figures figures(device, use_calibration);
  ModelParameters p;
  p.architecture = sass::architecture_number(device.arch);
  const PublishedFigures& known = published_figures(p.architecture);
  p.sms = static_cast<double>(device.sm_count);
  p.clock_mhz = device.boost_clock_mhz;
  p.low_clock_mhz = device.power_capped_clock_mhz > 0 ? device.power_capped_clock_mhz : p.clock_mhz;
  constexpr int bytes[] = {4, 8, 16};
  for (int i = 0; i < 3; ++i) {
    const double wavefronts = 1 << i;
    const std::string name = "shared_load_" + std::to_string(bytes[i]) + "B_1way_latency_cycles";
    p.shared_latency[i] = figures.get(name, known.shared_load - 6 + 3 * i) - wavefronts;
    const std::string matrices = "ldmatrix_x" + std::to_string(1 << i) + "_latency_cycles";
    p.ldmatrix_latency[i] = figures.get(matrices, known.shared_load - 6 + 2 * i) - wavefronts;
  }
  p.shuffle_latency = p.shared_latency[0];
  p.l1_latency = figures.get("l1_latency_cycles", known.l1);
  p.l2_latency = figures.get("l2_latency_cycles", known.l2);
  p.dram_latency = figures.get("dram_latency_cycles", known.dram);
  p.async_copy_latency =
      figures.get("cp_async_16B_latency_cycles", p.l2_latency + known.async_copy) - p.l2_latency;
  const double one = figures.get("block_barrier_1warps_cycles", 14.6),
               many = figures.get("block_barrier_32warps_cycles", 76.6);
  p.barrier_cycles_of_warp = (many - one) / 31;
  p.barrier_latency = one - p.barrier_cycles_of_warp;
  p.l2_bytes_of_sm =
      figures.get("l2_read_bytes_per_clk_sm",
                  device.l2_bytes_per_clk_sm > 0 ? device.l2_bytes_per_clk_sm : known.l2_bytes);
  p.l2_bytes_of_lone_sm = std::max(p.l2_bytes_of_sm, figures.get("cp_async_16B_bytes_per_clk_sm", 64));
  p.dram_gb_per_s = figures.get("dram_read_gb_per_s", device.dram_gb_per_s);
  p.l2_bytes = static_cast<double>(device.l2_bytes);
  p.launch_us = figures.get("fitted_launch_us", 1.5);
  p.jump_cycles = figures.get("fitted_jump_cycles", 0);
  p.instruction_fetch_cycles = figures.get("fitted_instruction_fetch_cycles", 0);
  p.block_start_cycles = figures.get("fitted_block_start_cycles", 0);
  return p;
}

}  // namespace tilescope::model
