#include <algorithm>
#include <cstdint>
#include <cstring>

#include "profiler/execution/simt/block_runner.hpp"

// How a block begins: its memory, its barriers, and the registers that are filled before the first instruction.
namespace tilescope::simt {
namespace {

// Readable bytes after shared memory, for vector loads of its last bytes.
constexpr std::size_t shared_tail = 64;

// A GPU gives a block whole units of shared memory, and ptxas makes wide loads that read past the last variable into the
// rest of a unit. In PTX that is a fault. 128 B: cuda_occupancy.h for compute capability 8.0 to 9.0.
constexpr std::size_t shared_unit = 128;

std::size_t allocated_shared_bytes(const Program& program, const Launch& launch) {
  const std::size_t bytes = program.static_shared_bytes + launch.dynamic_shared_bytes;
  return program.is_machine_code ? (bytes + shared_unit - 1) / shared_unit * shared_unit : bytes;
}

std::byte* align_up(std::vector<std::byte>& bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return bytes.data() + ((slot_bytes - address % slot_bytes) % slot_bytes);
}

}  // namespace

BlockRunner::BlockRunner(const Program& program, const Launch& launch, GlobalMemory& memory,
                         const RunOptions& options, Observer* observer)
    : program_(program),
      launch_(launch),
      options_(options),
      reach_(program),
      reports_basic_blocks_(observer != nullptr && observer->wants_basic_blocks()),
      reports_instructions_(observer != nullptr && observer->wants_instructions()),
      follower_(dynamic_cast<ValueFollower*>(observer)),
      is_following_(follower_ != nullptr ? follower_->is_following() : nullptr) {
  constants_.resize(program.constants.size() + slot_bytes);
  std::byte* constants = align_up(constants_);
  std::ranges::copy(program.constants, constants);
  constants_end_ = constants + program.constants.size();

  block_.program = &program;
  block_.launch = &launch;
  block_.global = &memory;
  block_.observer = observer;
  block_.printed = &printed_;
  const std::size_t threads = block_.threads(), warps = (threads + lane_count - 1) / lane_count;
  registers_.resize(warps * program.register_slots * slot_bytes + slot_bytes);
  const std::size_t shared_bytes = allocated_shared_bytes(program, launch);
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
  counts_.guarded_lanes.assign(program.code.size(), 0);
  fill_constants();
}

// Constant bank 0 as the driver writes it: the block's and the grid's dimensions, the generic addresses of shared and
// local memory, the end of the stack, and dynamic shared memory. Read on an H200 from a kernel that stores the bank, and
// off the code that ptxas makes for sm_80 to sm_90; the place of the parameters is the file's.
void BlockRunner::fill_constants() {
  if (!program_.is_machine_code) return;
  constexpr std::size_t shared_window_at = 0x18, local_window_at = 0x20, stack_at = 0x28, dynamic_at = 0x2c;
  const auto end = program_.parameter_base + launch_.parameters.size();
  constant_bank_.assign(std::max<std::size_t>(end, 0x400), std::byte{0});
  const auto put = [&](std::size_t offset, const auto& value) {
    std::memcpy(constant_bank_.data() + offset, &value, sizeof value);
  };
  put(0, launch_.block.x), put(4, launch_.block.y), put(8, launch_.block.z);
  put(12, launch_.grid.x), put(16, launch_.grid.y), put(20, launch_.grid.z);
  put(shared_window_at, shared_window);
  put(local_window_at, local_window);
  put(stack_at, program_.local_bytes);
  put(dynamic_at, launch_.dynamic_shared_bytes);
  // Debug builds read __constant__ variables through their generic address.
  constexpr std::size_t constants_at = 0x50, constants_at_sm_90 = 0xd0;
  put(program_.target.starts_with("sm_9") ? constants_at_sm_90 : constants_at, constant_memory_base);
  std::ranges::copy(launch_.parameters, constant_bank_.begin() + program_.parameter_base);
  block_.constant_bank = constant_bank_;
  std::byte* constants = align_up(constants_) + program_.constants.size();
  for (const LaunchConstant& constant : program_.launch_constants) {
    const std::span<const std::byte> bank = block_.bank(constant.bank);
    std::uint32_t word = 0;
    if (constant.offset + sizeof word <= bank.size()) {
      std::memcpy(&word, bank.data() + constant.offset, sizeof word);
    }
    std::byte* at =
        constants + static_cast<std::ptrdiff_t>(constant.slot) * static_cast<std::ptrdiff_t>(slot_bytes);
    std::fill_n(reinterpret_cast<std::uint32_t*>(at), lane_count, word);
  }
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

}  // namespace tilescope::simt
