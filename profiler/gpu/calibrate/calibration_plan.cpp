#include "profiler/gpu/calibrate/calibration_plan.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilescope {
namespace {

constexpr const char* cycles = "cycles";
constexpr const char* per_clk_sm = "1/clk/SM";
constexpr double lanes = 32;
constexpr double mma_flops = 2.0 * 16 * 8 * 16;

// A dependent chain in one warp. One repeat takes the time of its `unroll` instructions.
MicroRun latency(std::string kernel, Configuration parameters, int unroll, int many,
                 const std::string& figure) {
  MicroRun run;
  run.kernel = std::move(kernel);
  run.parameters = std::move(parameters);
  run.few = 16;
  run.many = many;
  run.work = unroll;
  run.figures = {{figure, cycles, FigureForm::cycles_per_work}};
  return run;
}

// Enough warps and chains to fill one SM; `work` is the work of all their instructions in one repeat.
MicroRun throughput(std::string kernel, Configuration parameters, double work, int many,
                    PlannedFigure figure) {
  MicroRun run;
  run.kernel = std::move(kernel);
  run.parameters = std::move(parameters);
  run.few = 16;
  run.many = many;
  run.work = work;
  run.figures = {std::move(figure)};
  return run;
}

void add_arithmetic(std::vector<MicroRun>& plan) {
  constexpr int unroll = 64, warps = 32, chains = 4, many = 144;
  for (const auto& [kernel, name] : {std::pair("ffma", "ffma"), {"hfma2", "hfma2"}, {"mufu", "mufu_ex2"}}) {
    plan.push_back(latency(kernel, {{"NUM_WARPS", 1}, {"CHAINS", 1}, {"UNROLL", unroll}}, unroll, many,
                           fmt::format("{}_latency_cycles", name)));
    plan.push_back(
        throughput(kernel, {{"NUM_WARPS", warps}, {"CHAINS", chains}, {"UNROLL", unroll}},
                   lanes * warps * chains * unroll, many,
                   {fmt::format("{}_lanes_per_clk_sm", name), per_clk_sm, FigureForm::work_per_cycle}));
  }
}

// Latency of one warp and clocks per warp instruction of 32, for a kernel that loads from shared memory.
void add_shared(std::vector<MicroRun>& plan, const std::string& kernel, const Configuration& parameters,
                const std::string& name) {
  constexpr int unroll = 16, warps = 32, chains = 4, many = 80;
  Configuration one = parameters, full = parameters;
  one.insert({{"NUM_WARPS", 1}, {"CHAINS", 1}});
  full.insert({{"NUM_WARPS", warps}, {"CHAINS", chains}});
  plan.push_back(latency(kernel, std::move(one), unroll, 4 * many, name + "_latency_cycles"));
  plan.push_back(throughput(kernel, std::move(full), warps * chains * unroll, many,
                            {name + "_cycles", cycles, FigureForm::cycles_per_work}));
}

void add_shared_memory(std::vector<MicroRun>& plan) {
  constexpr int bytes_of_pass = 128;
  for (const int width : {4, 8, 16}) {
    for (int ways = 1; ways * width <= bytes_of_pass; ways *= 2) {
      add_shared(plan, "shared_load", {{"WIDTH_BYTES", width}, {"WAYS", ways}},
                 fmt::format("shared_load_{}B_{}way", width, ways));
    }
  }
  for (const int transposed : {0, 1}) {
    for (const int matrices : {1, 2, 4}) {
      add_shared(plan, "ldmatrix", {{"MATRICES", matrices}, {"TRANSPOSED", transposed}},
                 fmt::format("ldmatrix_x{}{}", matrices, transposed == 1 ? "_trans" : ""));
    }
  }
}

void add_tensor_cores(std::vector<MicroRun>& plan) {
  constexpr int unroll = 16, chains = 4, many = 144;
  for (const DataType type : {DataType::fp16, DataType::bf16}) {
    const std::string name = "mma_m16n8k16_" + to_string(type);
    plan.push_back(
        latency("mma_sync", {{"NUM_WARPS", 1}, {"CHAINS", 1}}, unroll, many, name + "_latency_cycles"));
    plan.back().dtype = type;
    for (const int warps : {4, 8, 16}) {
      const std::string of = warps == 16 ? "" : fmt::format("_{}warps", warps);
      plan.push_back(throughput(
          "mma_sync", {{"NUM_WARPS", warps}, {"CHAINS", chains}}, mma_flops * warps * chains * unroll, many,
          {name + of + "_flops_per_clk_sm", "FLOP/clk/SM", FigureForm::work_per_cycle}));
      plan.back().dtype = type;
    }
  }
}

void add_async_copies(std::vector<MicroRun>& plan) {
  constexpr int unroll = 8, warps = 8;
  for (const int width : {4, 8, 16}) {
    const int copies =
        64 / width;  // two groups of 16 KiB in flight: more than L2 delivers within its latency
    const std::string name = fmt::format("cp_async_{}B", width);
    plan.push_back(latency("cp_async",
                           {{"WIDTH_BYTES", width}, {"NUM_WARPS", 1}, {"COPIES", 1}, {"IN_FLIGHT", 0}},
                           unroll, 80, name + "_latency_cycles"));
    plan.back().memory = MicroMemory::l2_region;
    plan.push_back(throughput(
        "cp_async", {{"WIDTH_BYTES", width}, {"NUM_WARPS", warps}, {"COPIES", copies}, {"IN_FLIGHT", 1}},
        lanes * width * warps * copies * unroll, 80,
        {name + "_bytes_per_clk_sm", "B/clk/SM", FigureForm::work_per_cycle}));
    plan.back().memory = MicroMemory::l2_region;
  }
}

void add_barriers(std::vector<MicroRun>& plan) {
  constexpr int unroll = 16;
  for (int warps = 1; warps <= 32; warps *= 2) {
    plan.push_back(latency("block_barrier", {{"NUM_WARPS", warps}}, unroll, 80,
                           fmt::format("block_barrier_{}warps_cycles", warps)));
  }
}

// The first 256 loads, with few repeats, go around the ring of 128 lines so that it is in L1.
void add_global_latency(std::vector<MicroRun>& plan) {
  constexpr int unroll = 16;
  plan.push_back(latency("global_latency", {{"LOAD", "ca"}}, unroll, 144, "l1_latency_cycles"));
  plan.back().memory = MicroMemory::l1_ring;
  plan.push_back(latency("global_latency", {{"LOAD", "cg"}}, unroll, 272, "l2_latency_cycles"));
  plan.back().memory = MicroMemory::l2_ring;
  plan.push_back(latency("global_latency", {{"LOAD", "cg"}}, unroll, 272, "dram_latency_cycles"));
  plan.back().memory = MicroMemory::dram_ring;
}

// Enough passes over the data in L2 that the start of a launch is negligible.
void add_bandwidth(std::vector<MicroRun>& plan) {
  constexpr int threads = 512, packet = 16, passes = 64;
  for (const std::string operation : {"read", "copy"}) {
    for (const bool in_l2 : {true, false}) {
      const int unroll = in_l2 ? 4 : 8;
      MicroRun run;
      run.kernel = "global_bandwidth";
      run.parameters = {{"OPERATION", operation}, {"BLOCKS_PER_SM", in_l2 ? 1 : 2}, {"UNROLL", unroll}};
      run.memory = in_l2 ? MicroMemory::l2_region : MicroMemory::dram_region;
      run.timing = MicroTiming::events;
      run.many = in_l2 ? passes : 1;
      run.bytes_at_once = std::int64_t{threads} * packet * unroll * (operation == "copy" ? 2 : 1);
      const std::string name = (in_l2 ? "l2_" : "dram_") + operation;
      run.figures = {{name + "_gb_per_s", "GB/s", FigureForm::gb_per_s}};
      if (in_l2)
        run.figures.push_back({name + "_bytes_per_clk_sm", "B/clk/SM", FigureForm::bytes_per_clk_sm});
      plan.push_back(std::move(run));
    }
  }
}

}  // namespace

std::vector<MicroRun> calibration_plan() {
  std::vector<MicroRun> plan;
  add_arithmetic(plan);
  add_shared_memory(plan);
  add_tensor_cores(plan);
  add_async_copies(plan);
  add_barriers(plan);
  add_global_latency(plan);
  add_bandwidth(plan);
  return plan;
}

}  // namespace tilescope
