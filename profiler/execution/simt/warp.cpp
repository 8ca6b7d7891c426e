#include "profiler/execution/simt/warp.hpp"

#include <utility>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/call_stack.hpp"
#include "profiler/execution/simt/memory/async_copies.hpp"

namespace tilescope::simt {

Warp::Warp(Block& block, int index, LaneMask lanes, std::byte* registers, const std::byte* constants)
    : registers_(registers), constants_(constants), block_(&block), index_(index), live_(lanes) {
  fragments.push_back({0, lanes, Fragment::State::ready, 0});
}
Warp::~Warp() = default;
Warp::Warp(Warp&&) noexcept = default;

const Slot* Warp::operands(const Instruction& instruction) const {
  return block_->program->operands.data() + instruction.operands;
}

AsyncCopies& Warp::async_copies() {
  if (!async_copies_) async_copies_ = std::make_unique<AsyncCopies>();
  return *async_copies_;
}

CallStack& Warp::call_stack() {
  if (!call_stack_) call_stack_ = std::make_unique<CallStack>();
  return *call_stack_;
}

void Warp::exit(LaneMask lanes) {
  live_ &= ~lanes;
}

void Block::raise(Fault fault) {
  fault.block = {index.x, index.y, index.z};
  if (observer == nullptr || !observer->fault(fault)) throw BlockFault{std::move(fault)};
}

}  // namespace tilescope::simt
