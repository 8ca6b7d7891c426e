#include "profiler/execution/ptx/instructions/memory/mbarrier_state.hpp"

#include <cstring>

#include <fmt/format.h>

#include "profiler/execution/simt/block.hpp"

namespace tilescope::ptx {
namespace {

// From the lowest bit: expected 20, pending 20, transactions 22, phase 1, valid 1.
constexpr int transaction_bits = 22;

Fault misuse(const Warp& warp, const Instruction& instruction, unsigned lane, const char* what) {
  const Block& block = warp.block();
  Fault fault;
  fault.kind = FaultKind::trap;
  fault.origin = instruction.origin;
  fault.block = {block.index.x, block.index.y, block.index.z};
  fault.thread = warp.first_thread() + lane;
  fault.text = fmt::format("Thread {} of block ({}, {}, {}) {} ({}).", fault.thread, block.index.x,
                           block.index.y, block.index.z, what, describe_place(*block.program, instruction));
  return fault;
}

}  // namespace

std::uint64_t MbarrierState::pack() const {
  const std::uint64_t tx = static_cast<std::uint32_t>(transactions) & ((1u << transaction_bits) - 1);
  return std::uint64_t{expected} | std::uint64_t{pending} << 20 | tx << 40 | std::uint64_t{phase} << 62 |
         std::uint64_t{is_valid} << 63;
}

MbarrierState MbarrierState::unpack(std::uint64_t word) {
  MbarrierState state;
  state.expected = static_cast<std::uint32_t>(word) & most_arrivals;
  state.pending = static_cast<std::uint32_t>(word >> 20) & most_arrivals;
  const auto tx = static_cast<std::uint32_t>(word >> 40) << (32 - transaction_bits);
  state.transactions = static_cast<std::int32_t>(tx) >> (32 - transaction_bits);
  state.phase = (word >> 62 & 1u) != 0;
  state.is_valid = (word >> 63 & 1u) != 0;
  return state;
}

bool MbarrierState::arrive(std::uint32_t count) {
  if (count > pending) return false;
  pending -= count;
  complete_phase_if_done();
  return true;
}

void MbarrierState::add_transactions(std::int32_t bytes) {
  transactions += bytes;
  complete_phase_if_done();
}

void MbarrierState::complete_phase_if_done() {
  if (pending != 0 || transactions != 0) return;
  phase = !phase;
  pending = expected;
}

LanePointers mbarriers_at(Warp& warp, const Instruction& instruction, Space space) {
  const LaneRequest request{.space = space,
                            .access = Access::atomic,
                            .bytes = 8,
                            .element_bytes = 8,
                            .alignment = 8,
                            .is_told = false};
  const auto addresses = addresses_of(warp, instruction.a, instruction.width, instruction.immediate);
  return resolve(warp, instruction, request, warp.exec, addresses.data());
}

std::uint64_t arrive_on(Warp& warp, const Instruction& instruction, unsigned lane, std::byte* barrier,
                        std::uint32_t count) {
  std::uint64_t before = 0;
  std::memcpy(&before, barrier, sizeof before);
  MbarrierState state = MbarrierState::unpack(before);
  if (!state.is_valid) {
    warp.block().raise(
        misuse(warp, instruction, lane,
               "arrives at an mbarrier that is not initialised: run mbarrier.init before, with a "
               "barrier behind it"));
    return before;
  }
  if (!state.arrive(count)) {
    warp.block().raise(
        misuse(warp, instruction, lane,
               "arrives at an mbarrier more often than its phase expects: initialise it with the "
               "number of arrivals"));
    return before;
  }
  const std::uint64_t after = state.pack();
  std::memcpy(barrier, &after, sizeof after);
  return before;
}

}  // namespace tilescope::ptx
