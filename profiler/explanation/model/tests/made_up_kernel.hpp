#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/sass/instruction_facts.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/model_parameters.hpp"

namespace tilescope::model::test_support {

inline constexpr std::uint8_t none = sass::no_scoreboard;

inline ExecutedInstruction instruction(const std::string& text, int stall = 1, std::uint8_t write = none,
                                       std::uint8_t wait_mask = 0) {
  ExecutedInstruction one;
  one.text = text;
  one.facts = sass::facts_of(text);
  one.scheduling.stall_cycles = static_cast<std::uint8_t>(stall);
  one.scheduling.write_scoreboard = write;
  one.scheduling.wait_mask = wait_mask;
  one.executions = 1;
  return one;
}

/// A kernel of one basic block for each vector of instructions, and one thread block with `warps` equal paths.
inline ExecutedKernel kernel_of(const std::vector<std::vector<ExecutedInstruction>>& blocks,
                                const WarpPath& path, std::size_t warps) {
  ExecutedKernel kernel;
  kernel.architecture = 90;
  for (const auto& block : blocks) {
    kernel.basic_blocks.push_back(
        {static_cast<std::uint32_t>(kernel.code.size()), static_cast<std::uint32_t>(block.size())});
    kernel.code.insert(kernel.code.end(), block.begin(), block.end());
  }
  kernel.blocks.push_back({0, std::vector<WarpPath>(warps, path)});
  for (const std::uint32_t entered : path) {
    const InstructionRange& range = kernel.basic_blocks[entered];
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      kernel.code[i].executions += static_cast<double>(warps);
  }
  for (ExecutedInstruction& one : kernel.code) one.executions -= 1;
  return kernel;
}

/// A device with nothing but a datasheet.
inline DeviceModel datasheet_device() {
  DeviceModel device;
  device.name = "made up";
  device.arch = "sm_89";
  device.sm_count = 58;
  device.boost_clock_mhz = 2000;
  device.dram_gb_per_s = 300;
  device.fp16_tflops = 120;
  device.l2_bytes = 48'000'000;
  device.l2_bytes_per_clk_sm = 15;
  return device;
}

/// One SM of 1000 MHz, so that a thousand cycles are a microsecond. Nothing is fitted, and overheads are 0.
inline ModelParameters plain_parameters() {
  ModelParameters p;
  p.architecture = 90;
  p.sms = 1;
  p.clock_mhz = 1000;
  p.shared_latency = {22, 24, 28};
  p.ldmatrix_latency = {22, 23, 25};
  p.shuffle_latency = 22;
  p.l1_bytes_per_clk = 128;
  p.l1_latency = 30;
  p.l2_latency = 280;
  p.dram_latency = 700;
  p.async_copy_latency = 26;
  p.barrier_latency = 12;
  p.barrier_cycles_of_warp = 2;
  p.l2_bytes_of_sm = p.l2_bytes_of_lone_sm = 32;
  p.l2_of_all = p.l2_of_lone = {.read_line = 0,
                                .read_sector = 0,
                                .write_line = 1,
                                .write_sector = 0.75,
                                .write_partial_sector = 2,
                                .reduction_sector = 2};
  p.atomic_latency = 500;
  p.atomic_cycles_of_lane = 1;
  p.atomic_turn_cycles = 1.5;
  p.atomic_float_cycles = 3.5;
  p.constant_load_cycles = 5;
  p.constant_address_cycles = 2;
  p.dram_gb_per_s = p.dram_copy_gb_per_s = 4000;
  p.l2_bytes = 60e6;
  p.l2_kept = 0.7;
  return p;
}

}  // namespace tilescope::model::test_support
