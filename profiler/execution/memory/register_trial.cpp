#include "profiler/execution/memory/register_trial.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace tilescope {
namespace {

using simt::Instruction;
using simt::LaneMask;
using simt::Slot;

// Slots from a named one on that an instruction may use: a pair of words, of a load or a matrix product more of them.
Slot widest_operand(const simt::Warp& warp, const Instruction& at) {
  const simt::Pipe pipe = warp.block().program->origins[at.origin].pipe;
  return pipe == simt::Pipe::lsu || pipe == simt::Pipe::tensor ? 16 : 4;
}

template <class Each>
void for_slots(const simt::Warp& warp, const Instruction& at, const Each& each) {
  for (const Slot slot : {at.d, at.a, at.b, at.c, at.guard}) each(slot);
  for (std::size_t i = 0; i < at.operand_count; ++i) each(warp.operands(at)[i]);
}

// Values that are tried in place of undefined bits: their complement, zeros, two random ones, and the bits of three
// operands, so that a comparison for equality has both results.
constexpr int variants = 7;
constexpr int first_operand_variant = 4;

// Continues after faults and counts nothing.
class Silence : public simt::Observer {
 public:
  bool fault(const simt::Fault&) override { return true; }
};

struct Heard {};

// Ends the instruction when it reports its access, before anything is moved. Nothing between the handler and this call
// holds what an exception would lose.
class Listener : public simt::Observer {
 public:
  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    heard = {access.space,
             access.lane_bytes,
             access.lanes,
             {access.addresses, access.addresses + simt::lane_count},
             false};
    throw Heard{};
  }
  bool fault(const simt::Fault&) override {
    heard.has_fault = true;
    throw Heard{};
  }
  RegisterTrial::Addresses heard;
};

// Lends another observer to a block.
class Lent {
 public:
  Lent(simt::Block& block, simt::Observer& observer)
      : block_(block), own_(std::exchange(block.observer, &observer)) {}
  ~Lent() { block_.observer = own_; }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  simt::Block& block_;
  simt::Observer* own_;
};

std::uint8_t random_byte(std::size_t place, int variant) {
  std::uint64_t mixed = (place + 1) * 0x9e37'79b9'7f4a'7c15u + static_cast<std::uint64_t>(variant);
  mixed = (mixed ^ mixed >> 29) * 0xbf58'476d'1ce4'e5b9u;
  return static_cast<std::uint8_t>(mixed >> 40);
}

}  // namespace

void RegisterTrial::Undefined::make(std::uint32_t slots) {
  bits.assign(slots * simt::slot_bytes, 0);
  source.assign(bits.size(), 0);
  of_slot.assign(slots, 0);
}

void RegisterTrial::Undefined::set(std::size_t byte, std::uint8_t mask, Source from) {
  const int change = (mask != 0 ? 1 : 0) - (bits[byte] != 0 ? 1 : 0);
  count += static_cast<std::size_t>(change);
  std::uint16_t& in_slot = of_slot[byte / simt::slot_bytes];
  in_slot = static_cast<std::uint16_t>(in_slot + change);
  bits[byte] = mask;
  source[byte] = mask != 0 ? from : Source{0};
}

bool RegisterTrial::has_undefined(const simt::Warp& warp, const Instruction& at, const Undefined& undefined) {
  const auto slots = static_cast<Slot>(undefined.of_slot.size());
  const Slot width = widest_operand(warp, at);
  bool found = false;
  for_slots(warp, at, [&](Slot slot) {
    if (slot < 0) return;
    for (Slot one = slot; one < std::min(slots, slot + width); ++one)
      found |= undefined.of_slot[static_cast<std::size_t>(one)] != 0;
  });
  return found;
}

RegisterTrial::RegisterTrial(simt::Warp& warp, const Instruction& at, const Undefined& undefined)
    : warp_(warp),
      at_(at),
      undefined_(undefined),
      file_(warp.write<std::byte>(0)),
      exec_(warp.exec),
      carry_(warp.carry) {
  for_slots(warp, at, [this](Slot slot) { slots_.push_back(slot); });
  std::erase(slots_, simt::no_slot);
  std::ranges::sort(slots_);
  const auto repeated = std::ranges::unique(slots_);
  slots_.erase(repeated.begin(), repeated.end());
  for (const Slot slot : slots_) add_places(slot, undefined.bits.size());
  for (const std::size_t place : places_) {
    const Source source = undefined.source[place];
    if (source != 0 && std::ranges::find(sources_, source) == sources_.end()) sources_.push_back(source);
  }
  std::ranges::sort(sources_);
  before_ = current();
}

void RegisterTrial::add_places(Slot slot, std::size_t file_bytes) {
  if (slot < 0) return;
  const std::size_t first = static_cast<std::size_t>(slot) * simt::slot_bytes;
  const std::size_t end =
      std::min(file_bytes, first + static_cast<std::size_t>(widest_operand(warp_, at_)) * simt::slot_bytes);
  for (std::size_t place = places_.empty() ? first : std::max(first, places_.back() + 1); place < end;
       ++place)
    places_.push_back(place);
}

RegisterTrial::Bytes RegisterTrial::current() const {
  Bytes bytes(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) bytes[i] = static_cast<std::uint8_t>(file_[places_[i]]);
  return bytes;
}

void RegisterTrial::restore(const Bytes& bytes) {
  for (std::size_t i = 0; i < places_.size(); ++i) file_[places_[i]] = std::byte{bytes[i]};
  warp_.exec = exec_;
  warp_.carry = carry_;
}

void RegisterTrial::execute() {
  Silence silence;
  const Lent lent(warp_.block(), silence);
  at_.execute(warp_, at_);
}

// Puts other bits in place of a source's undefined ones. An operand gives its own bytes: they are at the same distance
// from its slot as the undefined ones are from theirs.
void RegisterTrial::change(Source source, int variant) {
  const Slot operands[] = {at_.a, at_.b, at_.c};
  for (const std::size_t place : places_) {
    if (undefined_.source[place] != source) continue;
    const std::uint8_t mask = undefined_.bits[place];
    const auto old = static_cast<std::uint8_t>(file_[place]);
    std::uint8_t other = 0;
    if (variant == 0) other = static_cast<std::uint8_t>(~old);
    if (variant == 2 || variant == 3) other = random_byte(place, variant);
    if (variant >= first_operand_variant) {
      const Slot from = operands[variant - first_operand_variant];
      if (from == simt::no_slot) continue;
      const auto own = std::ranges::upper_bound(slots_, static_cast<Slot>(place / simt::slot_bytes)) - 1;
      const std::size_t distance = place - static_cast<std::size_t>(*own) * simt::slot_bytes;
      if (distance < 2 * simt::slot_bytes)
        other = static_cast<std::uint8_t>(warp_.read<std::byte>(from)[distance]);
    }
    file_[place] = std::byte{static_cast<std::uint8_t>((old & ~mask) | (other & mask))};
  }
}

// A NaN among the other undefined values would hide what depends on this one.
void RegisterTrial::clear_others(Source source) {
  for (const std::size_t place : places_) {
    if (undefined_.source[place] == 0 || undefined_.source[place] == source) continue;
    file_[place] &= std::byte{static_cast<std::uint8_t>(~undefined_.bits[place])};
  }
}

RegisterTrial::Bytes RegisterTrial::results_depending_on(Source source) {
  Bytes results;
  Bytes differing(places_.size(), 0);
  const auto compare = [&] {
    for (std::size_t i = 0; i < places_.size(); ++i)
      differing[i] |= static_cast<std::uint8_t>(file_[places_[i]] ^ std::byte{results[i]});
    restore(before_);
  };
  const auto run = [&](bool clears, std::optional<int> variant) {
    if (clears) clear_others(source);
    if (variant) change(source, *variant);
    execute();
  };
  for (const bool clears : {true, false}) {
    if (clears && sources_.size() < 2) continue;
    run(clears, std::nullopt);
    results = current();
    restore(before_);
    for (int variant = 0; variant < variants; ++variant) {
      run(clears, variant);
      compare();
    }
  }
  // Lanes with an undefined guard may not execute it at all.
  if (at_.guard >= 0) {
    const std::size_t guard = static_cast<std::size_t>(at_.guard) * simt::slot_bytes;
    for (std::size_t byte = 0; byte < sizeof(LaneMask); ++byte) {
      if (undefined_.source[guard + byte] == source)
        warp_.exec &= ~(LaneMask{undefined_.bits[guard + byte]} << 8 * byte);
    }
    if (warp_.exec == exec_) return differing;
    if (warp_.exec != 0) execute();
    compare();
  }
  return differing;
}

RegisterTrial::Bytes RegisterTrial::results_depending_on(std::span<std::byte> shared,
                                                         const std::vector<std::size_t>& changed) {
  execute();
  const Bytes results = current();
  restore(before_);
  for (const std::size_t byte : changed) shared[byte] = ~shared[byte];
  execute();
  Bytes differing = current();
  restore(before_);
  for (const std::size_t byte : changed) shared[byte] = ~shared[byte];
  for (std::size_t i = 0; i < places_.size(); ++i)
    differing[i] = static_cast<std::uint8_t>(differing[i] ^ results[i]);
  return differing;
}

std::optional<RegisterTrial::Addresses> RegisterTrial::listen() {
  Listener listener;
  bool has_heard = false;
  try {
    const Lent lent(warp_.block(), listener);
    at_.execute(warp_, at_);
  } catch (const Heard&) {
    has_heard = true;
  }
  restore(before_);
  if (!has_heard) return std::nullopt;
  return std::move(listener.heard);
}

std::optional<RegisterTrial::Addresses> RegisterTrial::addresses() {
  return listen();
}

std::optional<RegisterTrial::Addresses> RegisterTrial::addresses_with_other(Source source) {
  change(source, 0);
  return listen();
}

LaneMask RegisterTrial::lanes_storing(Source source, LaneMask lanes) {
  const simt::StoredBytes stored = warp_.block().program->stored_bytes;
  LaneMask differing = 0;
  std::vector<std::array<std::byte, 16>> before;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    before.push_back(stored(warp_, at_, static_cast<unsigned>(std::countr_zero(rest))));
  change(source, 0);
  std::size_t next = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    if (stored(warp_, at_, static_cast<unsigned>(std::countr_zero(rest))) != before[next++])
      differing |= rest & (~rest + 1);
  }
  restore(before_);
  return differing;
}

}  // namespace tilescope
