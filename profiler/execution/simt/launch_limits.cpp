#include "profiler/execution/simt/launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tilescope::simt {
namespace {

// CUDA C++ Programming Guide, technical specifications by compute capability, 7.0 and later.
constexpr std::uint64_t most_threads = 1024, most_block_z = 64, most_grid_x = 0x7fff'ffff,
                        most_grid_yz = 65'535;
constexpr std::uint64_t registers_of_block = 65'536;
// Registers are given to whole warps, in units of this many.
constexpr std::uint64_t register_unit = 256;
// The largest cluster, which needs cudaFuncAttributeNonPortableClusterSizeAllowed.
constexpr std::uint64_t most_blocks_of_cluster = 16;

// [B] The shared memory of a block, static and dynamic, that a GPU of this target gives at most (with
// cudaFuncAttributeMaxDynamicSharedMemorySize); 0 for a target that is not known.
std::uint64_t most_shared_bytes(std::string_view target) {
  constexpr std::pair<std::string_view, std::uint64_t> known[] = {
      {"sm_70", 96},   {"sm_72", 96},  {"sm_75", 64},  {"sm_80", 163},  {"sm_86", 99},
      {"sm_87", 163},  {"sm_89", 99},  {"sm_90", 227}, {"sm_100", 227}, {"sm_101", 227},
      {"sm_103", 227}, {"sm_120", 99}, {"sm_121", 99},
  };
  if (!target.empty() && (target.back() == 'a' || target.back() == 'f')) target.remove_suffix(1);
  for (const auto& [name, kib] : known) {
    if (name == target) return kib * 1024;
  }
  return 0;
}

std::string text_of(const Dimensions& size) {
  return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}
Dimensions dimensions_of(const DeclaredSize& size) {
  return {size.x, size.y, size.z};
}

std::uint64_t registers_of_warp(const Program& program) {
  return (std::uint64_t{program.registers_of_thread} * lane_count + register_unit - 1) / register_unit *
         register_unit;
}

class LaunchCheck {
 public:
  LaunchCheck(const Program& program, const Launch& launch) : program_(program), launch_(launch) {}

  void check() const {
    const Dimensions &grid = launch_.grid, &block = launch_.block;
    if (grid.count() == 0 || block.count() == 0) refuse("the grid or the block is empty");
    check_block();
    if (grid.x > most_grid_x || grid.y > most_grid_yz || grid.z > most_grid_yz)
      refuse(fmt::format("a grid of {}; a GPU takes at most ({}, {}, {})", text_of(grid), most_grid_x,
                         most_grid_yz, most_grid_yz));
    check_cluster();
    check_shared_memory();
    check_registers();
    if (launch_.parameters.size() != program_.parameter_bytes)
      refuse(fmt::format("it got {} B of arguments but takes {} B", launch_.parameters.size(),
                         program_.parameter_bytes));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("'" + program_.name + "' cannot be launched: " + why);
  }

  void check_block() const {
    const Dimensions& block = launch_.block;
    const std::uint64_t threads = block.count();
    if (threads > most_threads)
      refuse(fmt::format("{} threads in a block; a GPU takes at most {}", threads, most_threads));
    if (block.z > most_block_z)
      refuse(
          fmt::format("a block of {}; a GPU takes at most {} threads along z", text_of(block), most_block_z));
    const Dimensions required = dimensions_of(program_.required_block);
    if (required.x != 0 && block != required)
      refuse(fmt::format("a block of {}; it was compiled for blocks of {} alone (.reqntid)", text_of(block),
                         text_of(required)));
    if (program_.max_threads != 0 && threads > program_.max_threads)
      refuse(fmt::format("{} threads in a block; it was compiled for at most {}", threads,
                         program_.max_threads));
  }

  void check_cluster() const {
    const Dimensions cluster = dimensions_of(program_.cluster), &grid = launch_.grid;
    if (cluster.x == 0) return;
    if (cluster.count() > most_blocks_of_cluster)
      refuse(fmt::format("clusters of {} blocks; a GPU takes at most {}", cluster.count(),
                         most_blocks_of_cluster));
    if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
      refuse(fmt::format("a grid of {}, which is no multiple of its clusters of {} blocks", text_of(grid),
                         text_of(cluster)));
  }

  void check_shared_memory() const {
    const std::uint64_t bytes = std::uint64_t{program_.static_shared_bytes} + launch_.dynamic_shared_bytes;
    const std::uint64_t most = most_shared_bytes(program_.target);
    if (most != 0 && bytes > most)
      refuse(fmt::format(
          "{} B of shared memory in a block ({} static, {} dynamic); a GPU of {} gives at most {}", bytes,
          program_.static_shared_bytes, launch_.dynamic_shared_bytes, program_.target, most));
  }

  void check_registers() const {
    const std::uint64_t warps = (launch_.block.count() + lane_count - 1) / lane_count;
    const std::uint64_t of_warp = registers_of_warp(program_);
    if (warps * of_warp > registers_of_block)
      refuse(fmt::format(
          "{} threads of {} registers need {} registers; a block has at most {}: launch fewer "
          "threads, or compile with -maxrregcount",
          launch_.block.count(), program_.registers_of_thread, warps * of_warp, registers_of_block));
  }

  const Program& program_;
  const Launch& launch_;
};

}  // namespace

void check_launch(const Program& program, const Launch& launch) {
  LaunchCheck(program, launch).check();
}

std::uint32_t most_threads_of_block(const Program& program) {
  const std::uint64_t declared = program.max_threads == 0 ? most_threads : program.max_threads;
  if (program.registers_of_thread == 0) return static_cast<std::uint32_t>(declared);
  return static_cast<std::uint32_t>(
      std::min(declared, registers_of_block / registers_of_warp(program) * lane_count));
}

}  // namespace tilescope::simt
