#include <algorithm>
#include <cstdint>

#include "profiler/ptx/block_runner.hpp"

// How a block begins: its memory, its barriers, and the registers that are filled before the first instruction.
namespace tilescope::ptx {
namespace {

// Readable bytes after shared memory, for vector loads of its last bytes.
constexpr std::size_t shared_tail = 64;

std::byte* align_up(std::vector<std::byte>& bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return bytes.data() + ((slot_bytes - address % slot_bytes) % slot_bytes);
}

}  // namespace

BlockRunner::BlockRunner(const Program& program, const Launch& launch, GlobalMemory& memory,
                         const RunOptions& options, Observer* observer)
    : program_(program), launch_(launch), options_(options) {
  constants_.resize(program.constants.size() + slot_bytes);
  std::byte* constants = align_up(constants_);
  std::ranges::copy(program.constants, constants);
  constants_end_ = constants + program.constants.size();

  block_.program = &program;
  block_.launch = &launch;
  block_.global = &memory;
  block_.observer = observer;
  const std::size_t threads = block_.threads(), warps = (threads + lane_count - 1) / lane_count;
  registers_.resize(warps * program.register_slots * slot_bytes + slot_bytes);
  const std::size_t shared_bytes = program.static_shared_bytes + launch.dynamic_shared_bytes;
  shared_.resize(shared_bytes + shared_tail + slot_bytes);
  block_.shared = {align_up(shared_), shared_bytes};
  local_.resize(threads * program.local_bytes + slot_bytes);
  block_.local = {align_up(local_), threads * program.local_bytes};
  block_.warps.reserve(warps);
  for (BlockBarrier& barrier : block_.barriers) {
    barrier.arrived_lanes.assign(warps, 0);
    barrier.reduction.assign(warps, 0);
  }
  counts_.executions.assign(program.blocks.size(), 0);
  counts_.lanes.assign(program.blocks.size(), 0);
}

void BlockRunner::start(std::uint64_t linear_index) {
  const Dimensions& grid = launch_.grid;
  block_.linear_index = linear_index;
  block_.index = {static_cast<std::uint32_t>(linear_index % grid.x),
                  static_cast<std::uint32_t>(linear_index / grid.x % grid.y),
                  static_cast<std::uint32_t>(linear_index / grid.x / grid.y)};
  block_.clock = 0;
  random_.seed(options_.schedule_seed * 0x9e3779b97f4a7c15u + linear_index);
  // Unwritten memory is the same in every run. In shared memory it holds NaN bytes, so that reading it shows in
  // results.
  std::ranges::fill(registers_, std::byte{0});
  std::ranges::fill(shared_, std::byte{0xff});
  std::ranges::fill(local_, std::byte{0xff});
  for (BlockBarrier& barrier : block_.barriers) {
    barrier.expected = barrier.arrived = 0;
    std::ranges::fill(barrier.arrived_lanes, 0u);
  }
  block_.warps.clear();
  std::byte* registers = align_up(registers_);
  std::uint32_t threads_left = block_.threads();
  for (int w = 0; threads_left > 0; ++w) {
    const std::uint32_t lanes = std::min<std::uint32_t>(threads_left, lane_count);
    threads_left -= lanes;
    block_.warps.emplace_back(block_, w, lanes == lane_count ? all_lanes : (1u << lanes) - 1, registers,
                              constants_end_);
    registers += program_.register_slots * slot_bytes;
    fill_presets(block_.warps.back());
  }
}

void BlockRunner::fill_presets(Warp& warp) {
  const Dimensions &grid = launch_.grid, &block = launch_.block, &index = block_.index;
  for (const Preset& preset : program_.presets) {
    if (preset.special == Special::gridid) {
      std::fill_n(warp.write<std::uint64_t>(preset.slot), lane_count, std::uint64_t{0});
      continue;
    }
    auto* lanes = warp.write<std::uint32_t>(preset.slot);
    for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
      const std::uint32_t thread = warp.first_thread() + lane;
      switch (preset.special) {
        case Special::tid_x:
          lanes[lane] = thread % block.x;
          break;
        case Special::tid_y:
          lanes[lane] = thread / block.x % block.y;
          break;
        case Special::tid_z:
          lanes[lane] = thread / block.x / block.y;
          break;
        case Special::ntid_x:
          lanes[lane] = block.x;
          break;
        case Special::ntid_y:
          lanes[lane] = block.y;
          break;
        case Special::ntid_z:
          lanes[lane] = block.z;
          break;
        case Special::ctaid_x:
          lanes[lane] = index.x;
          break;
        case Special::ctaid_y:
          lanes[lane] = index.y;
          break;
        case Special::ctaid_z:
          lanes[lane] = index.z;
          break;
        case Special::nctaid_x:
          lanes[lane] = grid.x;
          break;
        case Special::nctaid_y:
          lanes[lane] = grid.y;
          break;
        case Special::nctaid_z:
          lanes[lane] = grid.z;
          break;
        case Special::laneid:
          lanes[lane] = lane;
          break;
        case Special::warpid:
          lanes[lane] = static_cast<std::uint32_t>(warp.index());
          break;
        case Special::nwarpid:
          lanes[lane] = (block_.threads() + lane_count - 1) / lane_count;
          break;
        case Special::lanemask_eq:
          lanes[lane] = 1u << lane;
          break;
        case Special::lanemask_lt:
          lanes[lane] = (1u << lane) - 1;
          break;
        case Special::lanemask_le:
          lanes[lane] = (2u << lane) - 1;
          break;
        case Special::lanemask_gt:
          lanes[lane] = ~((2u << lane) - 1);
          break;
        case Special::lanemask_ge:
          lanes[lane] = ~((1u << lane) - 1);
          break;
        case Special::total_smem_size:
          lanes[lane] = static_cast<std::uint32_t>(block_.shared.size());
          break;
        case Special::dynamic_smem_size:
          lanes[lane] = launch_.dynamic_shared_bytes;
          break;
        // As if the grid ran on one SM: kernels cannot rely on any other value.
        case Special::smid:
        case Special::gridid:
          lanes[lane] = 0;
          break;
        case Special::nsmid:
          lanes[lane] = 1;
          break;
      }
    }
  }
}

}  // namespace tilescope::ptx
