#include "profiler/explanation/model/model_parameters.hpp"

#include <algorithm>
#include <utility>

#include "profiler/execution/sass/cubin.hpp"

namespace tilescope::model {
namespace {

// Parts of the datasheet's bandwidth that launches reach that read alone, and that copies reach (launches/mechanisms: read_*, copy_*).
constexpr double dram_read_efficiency = 0.92, dram_copy_efficiency = 0.80;

using Parameters = ModelParameters;

// Published figures of an architecture (microbenchmarks of an A100, an L40 and an H100), for devices that
// were not calibrated. Latencies in cycles, bandwidths in B/clk/SM.
struct PublishedFigures {
  int architecture;
  double shared_load, l1, l2, dram, l2_bytes, l1_bytes;
};
constexpr PublishedFigures published[] = {{80, 29, 36, 211, 571, 35, 126},
                                          {86, 29, 36, 276, 580, 14.8, 64},
                                          {89, 29, 36, 276, 580, 14.8, 64},
                                          {90, 29, 34, 265, 650, 35, 126}};
// Published as 39 cycles with 32 of a load (GA10x).
constexpr double published_async_copy = 7;
// Assumed: an H200's.
constexpr double barrier_of_one_warp = 14.6, barrier_of_32_warps = 76.6;
constexpr double lone_sm_bytes = 64;

const PublishedFigures& published_figures(int architecture) {
  const PublishedFigures* best = &published[0];
  for (const PublishedFigures& figures : published) {
    if (figures.architecture <= architecture) best = &figures;
  }
  return *best;
}

// Looks figures up and notes where each came from.
class Figures {
 public:
  Figures(const DeviceModel& device, TableUse use) : device_(device), use_(use) {}

  double measured(const std::string& name, const char* unit, double otherwise, const std::string& source) {
    const auto found = device_.measured.find(name);
    if (use_ == TableUse::datasheet || found == device_.measured.end())
      return note(name, otherwise, unit, source);
    return note(name, found->second.value, unit, found->second.source);
  }
  double fitted_to(const FittedParameter& parameter) {
    const auto found = device_.fitted.find(parameter.name);
    if (use_ != TableUse::all || found == device_.fitted.end())
      return note(parameter.name, parameter.assumed, parameter.unit,
                  std::string("assumed: ") + parameter.meaning);
    return note(parameter.name, found->second.value, parameter.unit, found->second.source);
  }
  std::vector<ParameterRow> take_rows() { return std::move(rows_); }

 private:
  double note(const std::string& name, double value, const char* unit, const std::string& source) {
    rows_.push_back({name, value, unit, source});
    return value;
  }

  const DeviceModel& device_;
  const TableUse use_;
  std::vector<ParameterRow> rows_;
};

void add_shared_memory(Figures& figures, const PublishedFigures& known, Parameters& p) {
  const std::string source =
      "published: microbenchmarks of this architecture, 128-bit loads; fewer bytes take less";
  // Cycles by which loads of 4, 8 and 16 B, and of 1, 2 and 4 matrices, come earlier than the published load of 16 B.
  constexpr double earlier[] = {6, 3, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const double wavefronts = 1 << i;
    const std::string load = "shared_load_" + std::to_string(4 << i) + "B_1way_latency_cycles";
    p.shared_latency[i] =
        figures.measured(load, "cycles", known.shared_load - earlier[i], source) - wavefronts;
    const std::string matrices = "ldmatrix_x" + std::to_string(1 << i) + "_latency_cycles";
    p.ldmatrix_latency[i] =
        figures.measured(matrices, "cycles", known.shared_load - earlier[i], source) - wavefronts;
  }
  p.shuffle_latency = p.shared_latency[0];
}

// As measured on an H200 and an H100 (launches/mechanisms: load_stride*, store_stride*, store16_stride*, atomic_*). All
// SMs together wait for the slices of L2, one alone for its own way.
void add_l2_costs(Figures& figures, Parameters& p) {
  const std::string source = "assumed: as measured on an H200, launches of strided accesses";
  const auto cycles = [&](const char* name, double value) {
    return figures.measured(name, "cycles", value, source);
  };
  p.l2_of_all = {.read_line = cycles("l2_read_line_cycles", 1.3),
                 .read_sector = cycles("l2_read_sector_cycles", 0.5),
                 .write_line = cycles("l2_write_line_cycles", 1.83),
                 .write_sector = cycles("l2_write_sector_cycles", 1.55),
                 .write_partial_sector = cycles("l2_write_partial_sector_cycles", 1.88),
                 .reduction_sector = cycles("l2_reduction_sector_cycles", 2.6)};
  p.l2_of_lone = {.read_line = cycles("l2_read_line_lone_sm_cycles", 0.83),
                  .read_sector = cycles("l2_read_sector_lone_sm_cycles", 0.23),
                  .write_line = cycles("l2_write_line_lone_sm_cycles", 1.3),
                  .write_sector = cycles("l2_write_sector_lone_sm_cycles", 0.75),
                  .write_partial_sector = cycles("l2_write_partial_sector_lone_sm_cycles", 0.75),
                  .reduction_sector = cycles("l2_reduction_sector_lone_sm_cycles", 1.45)};
  p.atomic_latency = cycles("atomic_latency_cycles", 1.8 * p.l2_latency);
  p.atomic_cycles_of_lane = cycles("atomic_result_lane_cycles", 1.1);
  p.atomic_turn_cycles = cycles("atomic_slice_turn_cycles", 1.43);
  p.atomic_float_cycles = cycles("atomic_float_sector_turn_cycles", 3.5);
  p.constant_load_cycles = cycles("constant_load_cycles", 5);
  p.constant_address_cycles = cycles("constant_address_cycles", 2.1);
}

void add_global_memory(Figures& figures, const DeviceModel& device, const PublishedFigures& known,
                       Parameters& p) {
  const std::string source = "published: microbenchmarks of this architecture";
  p.l1_bytes_per_clk = known.l1_bytes;
  p.l1_latency = figures.measured("l1_latency_cycles", "cycles", known.l1, source);
  p.l2_latency = figures.measured("l2_latency_cycles", "cycles", known.l2, source);
  p.dram_latency = figures.measured("dram_latency_cycles", "cycles", known.dram, source);
  p.async_copy_latency =
      figures.measured("cp_async_16B_latency_cycles", "cycles", p.l2_latency + published_async_copy, source) -
      p.l2_latency;
  const bool is_in_table = device.l2_bytes_per_clk_sm > 0;
  p.l2_bytes_of_sm = figures.measured("l2_read_bytes_per_clk_sm", "B/clk/SM",
                                      is_in_table ? device.l2_bytes_per_clk_sm : known.l2_bytes, source);
  p.l2_bytes_of_lone_sm =
      std::max(p.l2_bytes_of_sm, figures.measured("cp_async_16B_bytes_per_clk_sm", "B/clk/SM", lone_sm_bytes,
                                                  "assumed: the width of an SM's port to L2"));
  add_l2_costs(figures, p);
  p.dram_gb_per_s =
      figures.measured("dram_read_gb_per_s", "GB/s", dram_read_efficiency * device.dram_gb_per_s,
                       "assumed: 0.92 of the datasheet's bandwidth, as on an H200 and an H100");
  p.dram_copy_gb_per_s =
      std::min(p.dram_gb_per_s,
               figures.measured("dram_copy_gb_per_s", "GB/s", dram_copy_efficiency * device.dram_gb_per_s,
                                "assumed: 0.80 of the datasheet's bandwidth, as on an H200 and an H100"));
  p.l2_bytes = static_cast<double>(device.l2_bytes);
}

// FLOP per clock and SM of the tensor cores with FP32 accumulation, at the most.
double tensor_rate(int architecture) {
  if (architecture >= 90) return 4096;
  return architecture == 80 ? 2048 : 1024;
}

// The datasheets of 8.6 and 8.9 give that rate, or half of it.
double tensor_factor(const DeviceModel& device, int architecture) {
  if ((architecture != 86 && architecture != 89) || device.fp16_tflops <= 0) return 1;
  const double rate =
      device.fp16_tflops * 1e6 / (static_cast<double>(device.sm_count) * device.boost_clock_mhz);
  return rate < 0.75 * tensor_rate(architecture) ? tensor_rate(architecture) / rate : 1;
}

std::pair<Parameters, std::vector<ParameterRow>> parameters_with_rows(const DeviceModel& device,
                                                                      TableUse use) {
  Figures figures(device, use);
  Parameters p;
  p.architecture = sass::architecture_number(device.arch);
  const PublishedFigures& known = published_figures(p.architecture);
  p.sms = static_cast<double>(device.sm_count);
  if (device.max_warps_per_sm > 0) p.warps_of_sm = static_cast<double>(device.max_warps_per_sm);
  p.clock_mhz = device.boost_clock_mhz;
  p.power_limit_w = device.power_limit_w;
  p.idle_w = device.idle_w;
  p.tensor_factor = tensor_factor(device, p.architecture);
  add_shared_memory(figures, known, p);
  add_global_memory(figures, device, known, p);
  const std::string barrier = "assumed: as measured on an H200";
  const double one = figures.measured("block_barrier_1warps_cycles", "cycles", barrier_of_one_warp, barrier);
  const double many =
      figures.measured("block_barrier_32warps_cycles", "cycles", barrier_of_32_warps, barrier);
  p.barrier_cycles_of_warp = (many - one) / 31;
  p.barrier_latency = one - p.barrier_cycles_of_warp;
  for (const FittedParameter& parameter : fitted_parameters())
    p.*parameter.member = figures.fitted_to(parameter);
  return {p, figures.take_rows()};
}

}  // namespace

ModelParameters model_parameters(const DeviceModel& device, TableUse use) {
  return parameters_with_rows(device, use).first;
}

std::vector<ParameterRow> parameter_rows(const DeviceModel& device) {
  return parameters_with_rows(device, TableUse::all).second;
}

}  // namespace tilescope::model
