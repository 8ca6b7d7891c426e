#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "profiler/ptx/program.hpp"

/// What the interpreter tells whoever counts or checks.
namespace tilescope::ptx {

class Block;

enum class Access : std::uint8_t {
  load,
  store,
  atomic,            ///< atom and red: reads and writes
  async_copy_read,   ///< The global side of a cp.async, when it is issued.
  async_copy_issue,  ///< The shared side of a cp.async, when it is issued: nothing is written yet.
  async_copy_write,  ///< The shared side, when the waiting thread has its data; the instruction is the cp.async.
  matrix_load,       ///< ldmatrix: a lane's address is that of a row of 16 B, lanes 8i to 8i+7 give matrix i.
  matrix_store,      ///< stmatrix
};
std::string_view name_of(Access access);

/// One execution of a memory instruction by a warp.
struct MemoryAccess {
  const Instruction* instruction = nullptr;
  Space space = Space::global;  ///< Of a generic address the one that it fell into; never generic.
  Access access = Access::load;
  std::uint8_t lane_bytes = 0;     ///< What one lane moves: 1 to 32.
  std::uint8_t element_bytes = 0;  ///< Of one element of a vector.
  LaneMask lanes = 0;              ///< Those that access memory; not none.
  /// One a lane; in shared and local memory offsets from the start of the block's or thread's. Entries of lanes that do
  /// not access mean nothing.
  const std::uint64_t* addresses = nullptr;
  /// Of async_copy_issue past L1 (.cg), where any lane reads: the global addresses of all its lanes, also of those that
  /// copy zeros. Null of everything else.
  const std::uint64_t* source_addresses = nullptr;
};

enum class FaultKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  read_only,           ///< A store to memory that cannot be written.
  deadlock,            ///< Every thread waits.
  divergent_barrier,   ///< A warp-wide instruction that not all its lanes reach.
  instruction_budget,  ///< An endless loop, or a kernel too long.
  stack_overflow,      ///< Calls within calls: a recursion without an end, or a frame too large.
  trap,
};

/// What ends a block on a GPU: the message has thread, address and line.
struct Fault {
  FaultKind kind = FaultKind::trap;
  std::uint32_t origin = no_index;  ///< Of the instruction, into Program::origins.
  std::array<std::uint32_t, 3> block{};
  std::uint32_t thread = 0;  ///< Linear, in its block.
  std::uint64_t address = 0;
  std::string text;  ///< A sentence.
};

/// Told of what happens in the blocks of one thread of the host, one block after the other. Addresses and spans are valid
/// during the call. No call may throw.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin_block(const Block&) {}
  /// Before a load, after nothing: the values are not moved yet.
  virtual void access(const Warp&, const MemoryAccess&) {}
  /// Lanes come to a block barrier, to wait there or (bar.arrive) to go on.
  virtual void barrier_arrival(const Warp&, int barrier, LaneMask) { (void)barrier; }
  /// The threads that a block barrier lets go, a mask a warp. bar.arrive arrives without waiting: `arrived` has all.
  virtual void block_barrier(const Block&, int barrier, std::span<const LaneMask> arrived,
                             std::span<const LaneMask> released) {
    (void)barrier, (void)arrived, (void)released;
  }
  /// bar.warp.sync among these lanes.
  virtual void warp_barrier(const Warp&, LaneMask) {}
  /// A warp reached bar.sync with some of its live lanes elsewhere.
  virtual void divergent_barrier(const Warp&, const Instruction&, LaneMask) {}
  /// An access that a GPU ends the kernel for. With true the interpreter goes on, loading zeros and storing nothing.
  virtual bool fault(const Fault&) { return false; }
  virtual void end_block(const Block&) {}
};

}  // namespace tilescope::ptx
