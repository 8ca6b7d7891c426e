#include "profiler/execution/simt/call_stack.hpp"

#include <cstring>
#include <string>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::simt {
namespace {

// One thread's registers and local memory.
class Thread {
 public:
  Thread(Warp& warp, unsigned lane)
      : warp_(warp),
        lane_(lane),
        local_(warp.block().local.data() +
               std::size_t{warp.first_thread() + lane} * warp.block().program->local_bytes) {}

  void load(std::byte* to, RegisterPlace from) const {
    if (from.bytes == 0) {
      *to = static_cast<std::byte>(warp_.mask(from.slot) >> lane_ & 1u);
    } else {
      std::memcpy(to, warp_.read<std::byte>(from.slot) + std::size_t{lane_} * from.bytes, from.bytes);
    }
  }
  void store(RegisterPlace to, const std::byte* from) {
    if (to.bytes == 0) {
      LaneMask& word = *warp_.write<LaneMask>(to.slot);
      word = (word & ~(1u << lane_)) | std::to_integer<LaneMask>(*from) << lane_;
    } else {
      std::memcpy(warp_.write<std::byte>(to.slot) + std::size_t{lane_} * to.bytes, from, to.bytes);
    }
  }

  // All values are read before the first is written, because a function may pass on its own arguments in another order.
  void copy(const std::vector<CallCopy>& copies, std::uint32_t from_base, std::vector<std::byte>& values) {
    values.clear();
    for (const CallCopy& copy : copies) {
      const std::size_t at = values.size();
      values.resize(at + size_of(copy));
      if (copy.from.is_register()) {
        load(values.data() + at, {copy.from.slot, static_cast<std::uint8_t>(copy.bytes)});
      } else {
        std::memcpy(values.data() + at, local_ + from_base + copy.from.offset, copy.bytes);
      }
    }
  }
  void paste(const std::vector<CallCopy>& copies, std::uint32_t to_base,
             const std::vector<std::byte>& values) {
    const std::byte* at = values.data();
    for (const CallCopy& copy : copies) {
      if (copy.to.is_register()) {
        store({copy.to.slot, static_cast<std::uint8_t>(copy.bytes)}, at);
      } else {
        std::memcpy(local_ + to_base + copy.to.offset, at, copy.bytes);
      }
      at += size_of(copy);
    }
  }

 private:
  static std::size_t size_of(const CallCopy& copy) { return copy.bytes == 0 ? 1 : copy.bytes; }

  Warp& warp_;
  unsigned lane_;
  std::byte* local_;
};

template <class Visit>
void for_each_lane(LaneMask lanes, Visit visit) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) visit(static_cast<unsigned>(first_lane(rest)));
}

std::size_t size_of(RegisterPlace place) {
  return place.bytes == 0 ? 1 : place.bytes;
}

}  // namespace

void CallStack::enter(Warp& warp, const Instruction& call, LaneMask lanes) {
  const Program& program = *warp.block().program;
  const auto number = static_cast<std::uint32_t>(call.immediate);
  const CallSite& site = program.calls[number];
  const std::uint32_t caller_bytes = program.functions[site.caller].frame_bytes;
  const CalledFunction& callee = program.functions[site.callee];
  for_each_lane(lanes, [&](unsigned index) {
    Lane& lane = lanes_[index];
    Thread thread(warp, index);
    const std::uint32_t base = lane.base + caller_bytes;
    if (lane.frames.size() == most_calls || base + callee.frame_bytes > program.local_bytes) {
      fail_full(warp, call, index, lane.frames.size());
    }
    thread.copy(site.arguments, lane.base, values_);
    for (const RegisterPlace place : site.saved) {
      const std::size_t at = lane.saved.size();
      lane.saved.resize(at + size_of(place));
      thread.load(lane.saved.data() + at, place);
    }
    lane.frames.push_back({number, lane.base});
    lane.base = base;
    thread.paste(site.arguments, base, values_);
    for (const FrameAddress& variable : callee.addresses) {
      const std::uint64_t address = base + variable.offset;
      std::array<std::byte, sizeof address> bytes;
      std::memcpy(bytes.data(), &address, sizeof address);
      thread.store(variable.place, bytes.data());
    }
  });
}

LaneMask CallStack::returning_together(LaneMask lanes) const {
  const auto call_of = [&](int lane) { return lanes_[static_cast<std::size_t>(lane)].frames.back().call; };
  const std::uint32_t first = call_of(first_lane(lanes));
  LaneMask together = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    if (call_of(static_cast<int>(lane)) == first) together |= 1u << lane;
  });
  return together;
}

std::uint32_t CallStack::leave(Warp& warp, LaneMask lanes) {
  const Program& program = *warp.block().program;
  const std::uint32_t number = lanes_[static_cast<std::size_t>(first_lane(lanes))].frames.back().call;
  const CallSite& site = program.calls[number];
  for_each_lane(lanes, [&](unsigned index) {
    Lane& lane = lanes_[index];
    Thread thread(warp, index);
    thread.copy(site.results, lane.base, values_);
    lane.base = lane.frames.back().caller_base;
    lane.frames.pop_back();
    for (auto place = site.saved.rbegin(); place != site.saved.rend(); ++place) {
      const std::size_t at = lane.saved.size() - size_of(*place);
      thread.store(*place, lane.saved.data() + at);
      lane.saved.resize(at);
    }
    thread.paste(site.results, lane.base, values_);
  });
  return site.return_to;
}

void CallStack::fail_full(const Warp& warp, const Instruction& call, unsigned lane, std::size_t depth) {
  const Program& program = *warp.block().program;
  const CallSite& site = program.calls[static_cast<std::size_t>(call.immediate)];
  const std::uint32_t thread = warp.first_thread() + lane;
  throw BlockFault{{FaultKind::stack_overflow,
                    call.origin,
                    {},
                    thread,
                    0,
                    "thread " + std::to_string(thread) + " calls '" + program.functions[site.callee].name +
                        "' at " + describe_place(program, call) + " inside " + std::to_string(depth) +
                        " other calls, and its stack (" + std::to_string(most_calls) + " calls, " +
                        std::to_string(program.local_bytes) +
                        " B of local memory) is full: check that the recursion ends"}};
}

}  // namespace tilescope::simt
