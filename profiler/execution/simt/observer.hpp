#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"

/// Events that the interpreter reports to counters and checkers.
namespace tilescope::simt {

class Block;

enum class Access : std::uint8_t {
  load,
  store,
  /// atom and red: reads and writes
  atomic,
  /// The global side of a cp.async, when it is issued.
  async_copy_read,
  /// The shared side of a cp.async, when it is issued: nothing is written yet.
  async_copy_issue,
  /// The shared side, when the waiting thread has its data; the instruction is the cp.async.
  async_copy_write,
  /// ldmatrix: a lane's address is the address of a row of 16 B, lanes 8i to 8i+7 give matrix i.
  matrix_load,
  /// stmatrix
  matrix_store,
  /// ATOMS.POPC.INC: adds to each word the number of lanes that name it.
  atomic_count,
};
std::string_view name_of(Access access);
constexpr bool is_atomic(Access access) {
  return access == Access::atomic || access == Access::atomic_count;
}

/// One execution of a memory instruction by a warp.
struct MemoryAccess {
  const Instruction* instruction = nullptr;
  /// For a generic address the space that it points into; never generic.
  Space space = Space::global;
  Access access = Access::load;
  /// [B] that one lane moves: 1 to 32.
  std::uint8_t lane_bytes = 0;
  /// [B] of one element of a vector.
  std::uint8_t element_bytes = 0;
  /// Lanes that access memory; never empty.
  LaneMask lanes = 0;
  /// One per lane; in shared and local memory offsets from the start of the block's or thread's memory. Entries of
  /// lanes that do not access memory are undefined.
  const std::uint64_t* addresses = nullptr;
  /// For an async_copy_issue past L1 (.cg) in which any lane reads: the global addresses of all its lanes, also of
  /// those that copy zeros. Null for everything else.
  const std::uint64_t* source_addresses = nullptr;
  /// With source_addresses: the lanes that read. The others copy zeros.
  LaneMask source_lanes = 0;
};

enum class FaultKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  /// A store to memory that cannot be written.
  read_only,
  /// Every thread waits.
  deadlock,
  /// A warp-wide instruction that not all of its lanes reach.
  divergent_barrier,
  /// All threads of a block that have not ended wait for a value that none of them writes.
  livelock,
  /// An endless loop, or a kernel that runs too long.
  instruction_budget,
  /// Nested calls: an endless recursion, or a frame that is too large.
  stack_overflow,
  trap,
};

/// An error that ends a block on a GPU. The message has thread, address and line.
struct Fault {
  FaultKind kind = FaultKind::trap;
  /// The instruction: an index into Program::origins.
  std::uint32_t origin = no_index;
  std::array<std::uint32_t, 3> block{};
  /// Linear index in its block.
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  /// A sentence.
  std::string text;
};

/// Notified of the events in the blocks of one host thread, one block after the other. Addresses and spans are valid
/// during the call. No call may throw.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether basic_block() is called; asked once, before the first block.
  virtual bool wants_basic_blocks() const { return false; }
  /// Whether before() and after() are called, where warps run side by side; asked once, before the first block.
  virtual bool wants_instructions() const { return false; }
  /// Lanes of `warp.exec` execute an instruction that has a handler.
  virtual void before(const Warp& warp, const Instruction& at) { (void)warp, (void)at; }
  virtual void after(const Warp& warp, const Instruction& at) { (void)warp, (void)at; }
  virtual void begin_block(const Block&) {}
  /// Lanes of a warp enter Program::blocks[number]. Where the warp has diverged, others of its lanes do so before or after
  /// them.
  virtual void basic_block(const Warp&, std::uint32_t number) { (void)number; }
  /// Called before every access, when no value has been moved yet.
  virtual void access(const Warp&, const MemoryAccess&) {}
  /// The lanes of `warp.exec` load from a constant bank of machine code, each at its `index` + `at.immediate`.
  virtual void constant_load(const Warp& warp, const Instruction& at,
                             std::span<const std::uint32_t, lane_count> index) {
    (void)warp, (void)at, (void)index;
  }
  /// Lanes arrive at a block barrier, to wait there or (bar.arrive) to continue.
  virtual void barrier_arrival(const Warp&, int barrier, LaneMask) { (void)barrier; }
  /// The threads that a block barrier releases, one mask per warp. `arrived` also has the threads of bar.arrive, which
  /// does not wait.
  virtual void block_barrier(const Block&, int barrier, std::span<const LaneMask> arrived,
                             std::span<const LaneMask> released) {
    (void)barrier, (void)arrived, (void)released;
  }
  /// bar.warp.sync among these lanes.
  virtual void warp_barrier(const Warp&, LaneMask) {}
  /// A fence of memory by the lanes of `warp.exec`: membar, fence; MEMBAR.
  virtual void fence(const Warp& warp, const Instruction& at) { (void)warp, (void)at; }
  /// These lanes execute an instruction whose `a` has the mask of the lanes that take part, for each lane: shfl.sync,
  /// bar.warp.sync, WARPSYNC. Called before they wait, or have waited.
  virtual void member_mask(const Warp& warp, const Instruction& at, LaneMask lanes) {
    (void)warp, (void)at, (void)lanes;
  }
  /// A shuffle by the lanes of `warp.exec`, before it moves values. Each lane gets the value of the lane that `sources`
  /// names: its own where the source lies outside its segment.
  virtual void shuffle(const Warp& warp, const Instruction& at,
                       std::span<const std::int32_t, lane_count> sources) {
    (void)warp, (void)at, (void)sources;
  }
  /// A warp reached bar.sync with some of its live lanes elsewhere.
  virtual void divergent_barrier(const Warp&, const Instruction&, LaneMask) {}
  /// Lanes of `warp.exec` reach a value that the source names.
  virtual void probe(const Warp& warp, const Probe&) { (void)warp; }
  /// An access for which a GPU ends the kernel. If it returns true, the interpreter continues, loading zeros and
  /// storing nothing.
  virtual bool fault(const Fault&) { return false; }
  virtual void end_block(const Block&) {}
};

/// Handler of a fence. Memory is sequentially consistent here, so that only an observer sees it.
void report_fence(Warp& warp, const Instruction& at);

}  // namespace tilescope::simt
