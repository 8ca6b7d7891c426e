#include "profiler/execution/memory/register_trial.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
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
// operands (only where the instruction has them), so that a comparison for equality has both results.
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

std::uint64_t random_word64(std::size_t place, int variant) {
  std::uint64_t mixed = (place + 1) * 0x9e37'79b9'7f4a'7c15u + static_cast<std::uint64_t>(variant);
  mixed = (mixed ^ mixed >> 30) * 0xbf58'476d'1ce4'e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d0'49bb'1331'11ebu;
  return mixed ^ mixed >> 31;
}

// Bytes are compared and changed eight at a time, of which a slot has several: this is where a trial spends its time.
constexpr std::size_t word64_bytes = sizeof(std::uint64_t);
static_assert(simt::slot_bytes % word64_bytes == 0);

std::uint64_t word64_at(const void* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
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
  for (const Slot slot : slots_) add_part(slot);
  if (!std::ranges::is_sorted(undefined_places_, {}, &Place::source))
    std::ranges::sort(undefined_places_, {}, &Place::source);
  for (const Place& place : undefined_places_) {
    if (sources_.empty() || sources_.back() != place.source) sources_.push_back(place.source);
  }
  before_ = current();
}

void RegisterTrial::add_part(Slot slot) {
  if (slot < 0) return;
  const auto slots = static_cast<Slot>(undefined_.of_slot.size());
  const Part last = parts_.empty() ? Part{} : parts_.back();
  const std::size_t behind_last = last.first + last.bytes;
  const Slot from = std::max(slot, static_cast<Slot>(behind_last / simt::slot_bytes));
  const Slot end = std::min(slots, slot + widest_operand(warp_, at_));
  if (from >= end) return;
  const auto place = [](Slot one) { return static_cast<std::size_t>(one) * simt::slot_bytes; };
  parts_.push_back({place(from), place(end - from), last.begin + last.bytes});
  for (Slot one = from; one < end; ++one) add_undefined(one);
}

void RegisterTrial::add_undefined(Slot slot) {
  const auto index = static_cast<std::size_t>(slot);
  if (undefined_.of_slot[index] == 0) return;
  const auto named = std::ranges::upper_bound(slots_, slot) - 1;
  const std::size_t first = index * simt::slot_bytes;
  const std::size_t named_first = static_cast<std::size_t>(*named) * simt::slot_bytes;
  for (std::size_t word = first; word < first + simt::slot_bytes; word += word64_bytes) {
    if (word64_at(&undefined_.bits[word]) == 0) continue;
    const std::size_t own = undefined_places_.size();
    for (std::size_t i = 0; i < word64_bytes; ++i) {
      const Source source = undefined_.source[word + i];
      if (source == 0) continue;
      std::size_t place = own;
      while (place < undefined_places_.size() && undefined_places_[place].source != source) ++place;
      if (place == undefined_places_.size())
        undefined_places_.push_back({word, word - named_first, 0, source});
      undefined_places_[place].bytes |= std::uint64_t{0xff} << 8 * i;
    }
  }
}

RegisterTrial::Bytes RegisterTrial::current() const {
  const Part last = parts_.empty() ? Part{} : parts_.back();
  Bytes bytes(last.begin + last.bytes);
  for (const Part& part : parts_) std::memcpy(bytes.data() + part.begin, file_ + part.first, part.bytes);
  return bytes;
}

void RegisterTrial::restore(const Bytes& bytes) {
  for (const Part& part : parts_) std::memcpy(file_ + part.first, bytes.data() + part.begin, part.bytes);
  warp_.exec = exec_;
  warp_.carry = carry_;
}

void RegisterTrial::add_differences(const Bytes& results, Bytes& differing) const {
  for (const Part& part : parts_) {
    const auto* const now = reinterpret_cast<const std::uint8_t*>(file_ + part.first);
    const std::uint8_t* const before = &results[part.begin];
    std::uint8_t* const __restrict bits = &differing[part.begin];
    const std::size_t count = part.bytes;  // else read again for each byte
    for (std::size_t i = 0; i < count; ++i)
      bits[i] = static_cast<std::uint8_t>(bits[i] | (now[i] ^ before[i]));
  }
}

void RegisterTrial::execute() {
  Silence silence;
  const Lent lent(warp_.block(), silence);
  at_.execute(warp_, at_);
}

bool RegisterTrial::has_variant(int variant) const {
  const Slot operands[] = {at_.a, at_.b, at_.c};
  return variant < first_operand_variant || operands[variant - first_operand_variant] != simt::no_slot;
}

template <class Word>
void RegisterTrial::change_words(Source source, const Word& other) {
  for (const Place& place : std::ranges::equal_range(undefined_places_, source, {}, &Place::source)) {
    const std::uint64_t mask = word64_at(&undefined_.bits[place.byte]) & place.bytes;
    const std::uint64_t now = word64_at(file_ + place.byte);
    const std::uint64_t word = (now & ~mask) | (other(place, now) & mask);
    std::memcpy(file_ + place.byte, &word, sizeof word);
  }
}

// An operand gives its own bytes: they are at the same distance from its slot as the undefined ones are from theirs.
void RegisterTrial::change(Source source, int variant) {
  if (variant == 0) return change_words(source, [](const Place&, std::uint64_t now) { return ~now; });
  if (variant == 1) return change_words(source, [](const Place&, std::uint64_t) { return std::uint64_t{0}; });
  if (variant < first_operand_variant) {
    return change_words(
        source, [variant](const Place& place, std::uint64_t) { return random_word64(place.byte, variant); });
  }
  const Slot operands[] = {at_.a, at_.b, at_.c};
  const std::byte* const operand = warp_.read<std::byte>(operands[variant - first_operand_variant]);
  change_words(source, [operand](const Place& place, std::uint64_t) {
    return place.distance < 2 * simt::slot_bytes ? word64_at(operand + place.distance) : std::uint64_t{0};
  });
}

// A NaN among the other undefined values would hide what depends on this one.
void RegisterTrial::clear_others(Source source) {
  for (const Source other : sources_) {
    if (other != source) change(other, 1);
  }
}

RegisterTrial::Bytes RegisterTrial::results_depending_on(Source source) {
  Bytes results;
  Bytes differing(before_.size(), 0);
  for (const bool clears : {true, false}) {
    if (clears && sources_.size() < 2) continue;
    if (clears) clear_others(source);
    const Bytes start = current();
    execute();
    results = current();
    for (int variant = 0; variant < variants; ++variant) {
      if (!has_variant(variant)) continue;
      restore(start);
      change(source, variant);
      execute();
      add_differences(results, differing);
    }
    restore(before_);
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
    add_differences(results, differing);
    restore(before_);
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
  Bytes differing(results.size(), 0);
  add_differences(results, differing);
  restore(before_);
  for (const std::size_t byte : changed) shared[byte] = ~shared[byte];
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

std::array<std::uint16_t, simt::lane_count> RegisterTrial::bytes_storing(Source source, LaneMask lanes) {
  const simt::StoredBytes stored_bytes = warp_.block().program->stored_bytes;
  const auto stored = [&](LaneMask rest) {
    return stored_bytes(warp_, at_, static_cast<unsigned>(std::countr_zero(rest)));
  };
  std::array<std::array<std::byte, 16>, simt::lane_count> before{};
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    before[static_cast<std::size_t>(std::countr_zero(rest))] = stored(rest);
  change(source, 0);
  std::array<std::uint16_t, simt::lane_count> differing{};
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const auto other = stored(rest);
    for (unsigned byte = 0; byte < other.size(); ++byte) {
      if (other[byte] != before[lane][byte]) differing[lane] |= static_cast<std::uint16_t>(1u << byte);
    }
  }
  restore(before_);
  return differing;
}

LaneMask RegisterTrial::lanes_storing(Source source, LaneMask lanes) {
  const auto bytes = bytes_storing(source, lanes);
  LaneMask differing = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    if (bytes[static_cast<std::size_t>(std::countr_zero(rest))] != 0) differing |= rest & (~rest + 1);
  }
  return differing;
}

}  // namespace tilescope
