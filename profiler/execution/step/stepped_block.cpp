#include "profiler/execution/step/stepped_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/execution/step/shared_writes.hpp"

namespace tilescope {
namespace {

/// Hears of writes to one word of shared memory.
class WriteWatch : public simt::Observer {
 public:
  WriteWatch(std::uint64_t word, const simt::BlockStepper& stepper) : word_(word), stepper_(stepper) {}

  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    for_each_written_word(access, [this](std::uint64_t word) {
      const std::uint64_t behind = stepper_.slot() + 1;
      if (word == word_ && (slots_.empty() || slots_.back() != behind)) slots_.push_back(behind);
    });
  }
  std::vector<std::uint64_t> take() { return std::move(slots_); }

 private:
  std::uint64_t word_ = 0;
  const simt::BlockStepper& stepper_;
  std::vector<std::uint64_t> slots_;
};

// By CodePlaces::all(): which of the target's lines and places it is, from 1; 0 for none.
std::vector<std::uint32_t> numbers_of_places(const CodePlaces& places, const StepTarget& target) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(places.all().size());
  for (const CodePlaces::Place& place : places.all()) {
    const auto line = std::ranges::find(target.lines, std::int64_t{place.line});
    auto number = line == target.lines.end() ? 0 : line - target.lines.begin() + 1;
    for (const std::string& frame : place.frames) {
      const auto named = std::ranges::find(target.places, frame);
      if (number == 0 && named != target.places.end())
        number = std::ssize(target.lines) + (named - target.places.begin()) + 1;
    }
    numbers.push_back(static_cast<std::uint32_t>(number));
  }
  return numbers;
}

}  // namespace

SteppedBlock::SteppedBlock(SteppedLaunch launch, simt::BlockStepper::Limits limits,
                           std::function<bool()> cancelled)
    : launch_(std::move(launch)),
      places_(launch_.program, launch_.main_file, launch_.phases),
      stepper_(launch_.program, launch_.launch, launch_.memory, launch_.block, limits, std::move(cancelled)),
      events_(places_, stepper_),
      tile_rows_(launch_.sizes, launch_.inputs) {
  stepper_.record(&events_);
  events_.complete();
}

SteppedBlock::~SteppedBlock() = default;

StepStop SteppedBlock::go(const StepTarget& target, const StepView& view) {
  const Found found = find(target, view);
  stepper_.go_to(found.slot.value_or(target.from));
  StepStop stop;
  stop.not_found = found.why_not;
  describe_launch(stop);
  describe_warps(stop);
  describe_barriers(stop);
  describe_mbarriers(stop);
  describe_registers(view, stop);
  describe_operands(view, stop);
  describe_tiles(view, stop);
  if (view.shared) describe_shared(stop);
  describe_progress(stop);
  return stop;
}

SteppedBlock::Found SteppedBlock::find(const StepTarget& target, const StepView& view) {
  const auto number = static_cast<std::uint64_t>(target.number.value_or(0));
  switch (target.kind) {
    case StepTarget::Kind::slot:
      if (number > stepper_.slots())
        return {stepper_.slots(), fmt::format("There is no slot {}: {}", number, end_words())};
      return {number, ""};
    case StepTarget::Kind::round:
      if (number > stepper_.rounds())
        return {stepper_.slots(), fmt::format("There is no round {}: {}", number, end_words())};
      return {stepper_.first_slot(number), ""};
    case StepTarget::Kind::start:
      return {0, ""};
    case StepTarget::Kind::end:
      return {stepper_.slots(), ""};
    case StepTarget::Kind::barrier:
      return find_mark(events_.barriers(), target, "barrier");
    case StepTarget::Kind::tile:
      return find_mark(events_.tiles(), target, "tile");
    case StepTarget::Kind::line:
      return target.number ? find_line(target) : find_other_line(target, view);
    case StepTarget::Kind::breakpoint:
      return find_breakpoint(target);
    case StepTarget::Kind::warp:
      return find_warp(target);
    case StepTarget::Kind::matrix:
      return find_matrix(target);
    case StepTarget::Kind::write:
      return find_write(target);
  }
  return {};
}

std::string SteppedBlock::end_words() const {
  return fmt::format("the block ends at slot {}, round {}.", stepper_.slots(), stepper_.rounds());
}

SteppedBlock::Found SteppedBlock::find_mark(const std::vector<StepMark>& marks, const StepTarget& target,
                                            const std::string& name) const {
  if (target.number) {
    const std::int64_t number = *target.number;
    if (number >= 1 && static_cast<std::size_t>(number) <= marks.size())
      return {marks[static_cast<std::size_t>(number) - 1].slot, ""};
    return {std::nullopt, fmt::format("There is no {} {}: the block has {}.", name, number, marks.size())};
  }
  if (target.backwards) {
    const auto at = std::ranges::lower_bound(marks, target.from, {}, &StepMark::slot);
    if (at != marks.begin()) return {std::prev(at)->slot, ""};
    return {std::nullopt, fmt::format("There is no {} before this place.", name)};
  }
  const auto at = std::ranges::upper_bound(marks, target.from, {}, &StepMark::slot);
  if (at != marks.end()) return {at->slot, ""};
  return {std::nullopt, fmt::format("There is no {} after this place.", name)};
}

// The nearest place at which a warp comes to one of the target's lines or places from another one.
std::optional<std::uint64_t> SteppedBlock::slot_at_lines(const StepTarget& target) const {
  const std::vector<std::uint32_t> wanted = numbers_of_places(places_, target);
  std::vector<std::uint32_t> before(stepper_.block().warps.size(), 0);
  std::optional<std::uint64_t> last;
  for (std::uint64_t slot = 0; slot < stepper_.slots(); ++slot) {
    if (target.backwards && slot >= target.from) break;
    const bool is_other_warp = target.kind == StepTarget::Kind::breakpoint && target.number &&
                               *target.number != std::int64_t{stepper_.warp_of(slot)};
    if (is_other_warp) continue;
    const std::uint32_t here = wanted[places_.number_of(stepper_.code_of(slot))];
    const bool comes = here != std::exchange(before[stepper_.warp_of(slot)], here) && here != 0;
    if (!comes) continue;
    if (!target.backwards && slot > target.from) return slot;
    if (target.backwards) last = slot;
  }
  return last;
}

// The nearest of all lines and words; without one the end that lies in that direction.
SteppedBlock::Found SteppedBlock::find_breakpoint(const StepTarget& target) {
  std::optional<std::uint64_t> nearest;
  const auto consider = [&](std::optional<std::uint64_t> slot) {
    if (slot && nearest) slot = target.backwards ? std::max(*nearest, *slot) : std::min(*nearest, *slot);
    if (slot) nearest = slot;
  };
  if (!target.lines.empty() || !target.places.empty()) consider(slot_at_lines(target));
  StepTarget write = target;
  for (const std::int64_t byte : target.bytes) {
    write.number = byte;
    consider(find_write(write).slot);
  }
  if (nearest) return {nearest, ""};
  const std::string warp = target.number ? fmt::format(" of warp {}", *target.number) : "";
  if (target.backwards)
    return {0, fmt::format("No breakpoint{} comes before that place: this is the start of the block.", warp)};
  return {stepper_.slots(),
          fmt::format("No breakpoint{} comes after that place: this is the end of the block.", warp)};
}

SteppedBlock::Found SteppedBlock::find_line(const StepTarget& target) const {
  StepTarget line = target;
  line.lines = {*target.number};
  const std::optional<std::uint64_t> slot = slot_at_lines(line);
  if (slot) return {slot, ""};
  return {std::nullopt, fmt::format("No warp comes to line {} {} this place.", *target.number,
                                    target.backwards ? "before" : "after")};
}

// Where the warp of the view comes to another line.
SteppedBlock::Found SteppedBlock::find_other_line(const StepTarget& target, const StepView& view) const {
  if (view.warp >= stepper_.block().warps.size())
    return {std::nullopt, fmt::format("There is no warp {}.", view.warp)};
  const auto line_at = [&](std::uint64_t slot) { return places_.at(stepper_.code_of(slot)).line; };
  const std::vector<std::uint32_t>& slots = events_.slots_of(static_cast<std::size_t>(view.warp));
  auto at = std::ranges::lower_bound(slots, target.from);
  if (target.backwards) {
    if (at == slots.begin()) return {std::nullopt, "The warp is at its first line."};
    const std::uint32_t line = line_at(*--at);
    while (at != slots.begin() && line_at(*std::prev(at)) == line) --at;
    return {*at, ""};
  }
  if (at == slots.end()) return {stepper_.slots(), "The warp has ended."};
  const std::uint32_t line = line_at(*at);
  while (at != slots.end() && line_at(*at) == line) ++at;
  return {at == slots.end() ? stepper_.slots() : *at, ""};
}

// Forwards behind the warp's next instruction, backwards before its last one.
SteppedBlock::Found SteppedBlock::find_warp(const StepTarget& target) const {
  const auto warp = static_cast<std::size_t>(target.number.value_or(0));
  if (warp >= stepper_.block().warps.size()) return {std::nullopt, fmt::format("There is no warp {}.", warp)};
  const std::vector<std::uint32_t>& slots = events_.slots_of(warp);
  const auto at = std::ranges::lower_bound(slots, target.from);
  if (target.backwards) {
    if (at == slots.begin()) return {std::nullopt, fmt::format("Warp {} is at its first instruction.", warp)};
    return {*std::prev(at), ""};
  }
  if (at == slots.end()) return {std::nullopt, fmt::format("Warp {} issues nothing after this place.", warp)};
  return {std::uint64_t{*at} + 1, ""};
}

SteppedBlock::Found SteppedBlock::find_matrix(const StepTarget& target) const {
  const auto warp = static_cast<std::size_t>(target.number.value_or(0));
  if (warp >= stepper_.block().warps.size()) return {std::nullopt, fmt::format("There is no warp {}.", warp)};
  const auto is_matrix = [&](std::uint32_t slot) {
    using simt::DataUse;
    const DataUse use = places_.data(stepper_.code_of(slot)).use;
    return use == DataUse::matrix_product || use == DataUse::matrix_load || use == DataUse::matrix_store;
  };
  const std::vector<std::uint32_t>& slots = events_.slots_of(warp);
  if (target.backwards) {
    auto at = std::ranges::lower_bound(slots, target.from);
    while (at != slots.begin()) {
      if (is_matrix(*--at)) return {*at, ""};
    }
  } else {
    const auto at = std::find_if(std::ranges::upper_bound(slots, target.from), slots.end(), is_matrix);
    if (at != slots.end()) return {*at, ""};
  }
  return {std::nullopt, fmt::format("Warp {} executes no mma, wmma or ldmatrix {} this place.", warp,
                                    target.backwards ? "before" : "after")};
}

SteppedBlock::Found SteppedBlock::find_write(const StepTarget& target) {
  const auto byte = static_cast<std::uint64_t>(target.number.value_or(0));
  if (byte >= stepper_.block().shared.size()) {
    return {std::nullopt, fmt::format("Byte {} is not in the block's {} B of shared memory.", byte,
                                      stepper_.block().shared.size())};
  }
  const std::vector<std::uint64_t>& slots = writes_to(byte / shared_word_bytes);
  if (target.backwards) {
    const auto at = std::ranges::lower_bound(slots, target.from);
    if (at != slots.begin()) return {*std::prev(at), ""};
    return {std::nullopt, fmt::format("Nothing writes byte {} before this place.", byte)};
  }
  const auto at = std::ranges::upper_bound(slots, target.from);
  if (at != slots.end()) return {*at, ""};
  return {std::nullopt, fmt::format("Nothing writes byte {} after this place.", byte)};
}

const std::vector<std::uint64_t>& SteppedBlock::writes_to(std::uint64_t word) {
  const auto known = writes_.find(word);
  if (known != writes_.end()) return known->second;
  WriteWatch watch(word, stepper_);
  stepper_.replay(watch);
  return writes_.emplace(word, watch.take()).first->second;
}

}  // namespace tilescope
