#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/printed_text.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::simt {

struct Dimensions {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dimensions&) const = default;
};

/// How a kernel is launched.
struct Launch {
  Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  /// In the layout of the kernel's .param space.
  std::vector<std::byte> parameters;
};

/// A block-wide barrier: bar.sync and bar.arrive count threads until `expected` have arrived.
struct BlockBarrier {
  /// Threads; 0: all live ones.
  std::uint32_t expected = 0;
  std::uint32_t arrived = 0;
  /// A mask a warp
  std::vector<LaneMask> arrived_lanes;
  /// bar.red: the predicate of those that arrived
  std::vector<LaneMask> reduction;

  bool operator==(const BlockBarrier&) const = default;
};

/// The `flags` of an instruction with Flow::block_barrier. `immediate` is the barrier's number when `a` is no_slot, `b`
/// the number of threads (no_slot: all), `c` and `d` the predicate and result of a reduction; `count` is 1 when the
/// predicate is negated. `width` is 1 for the aligned forms (bar.*, barrier.*.aligned), which all lanes of a warp must
/// reach together.
enum class BarrierForm : std::uint8_t { sync, arrive, red_popc, red_and, red_or };

/// One thread block: its place in the grid, its memory and its warps.
class Block {
 public:
  const Program* program = nullptr;
  const Launch* launch = nullptr;
  GlobalMemory* global = nullptr;
  /// nullptr when nothing observes.
  Observer* observer = nullptr;
  /// Log of the text that its threads print; nullptr where it is not read.
  PrintLog* printed = nullptr;
  /// %ctaid
  Dimensions index;
  std::uint64_t linear_index = 0;
  /// Static, then dynamic. 16-byte aligned, with 16 readable bytes after its end.
  std::span<std::byte> shared;
  /// Program::local_bytes a thread
  std::span<std::byte> local;
  /// Constant bank 0 of machine code.
  std::span<const std::byte> constant_bank;
  std::vector<Warp> warps;
  std::array<BlockBarrier, 16> barriers;
  /// Warp instructions so far: what %clock64 reads.
  std::uint64_t clock = 0;

  /// Any constant bank of machine code; empty for one that the program does not have.
  std::span<const std::byte> bank(std::size_t number) const {
    if (number == 0) return constant_bank;
    const auto& banks = program->constant_banks;
    return number < banks.size() ? std::span<const std::byte>(banks[number]) : std::span<const std::byte>();
  }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(launch->block.count()); }
  /// Reports a fault to the observer; throws BlockFault unless the observer continues.
  void raise(Fault fault);
};

}  // namespace tilescope::simt
