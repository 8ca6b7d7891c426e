#include "profiler/step/stepped_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/memory/site_text.hpp"

namespace tilescope {
namespace {

using simt::Space;

constexpr std::uint64_t word_bytes = 4;

/// Hears of writes to one word of shared memory.
class WriteWatch : public simt::Observer {
 public:
  WriteWatch(std::uint64_t word, const simt::BlockStepper& stepper) : word_(word), stepper_(stepper) {}

  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    if (access.space != Space::shared || !writes(access.access)) return;
    const bool is_stmatrix = access.access == simt::Access::matrix_store;
    for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t begin = access.addresses[std::countr_zero(rest)];
      const std::uint64_t end = begin + (is_stmatrix ? 16 : access.lane_bytes);
      if (begin >= (word_ + 1) * word_bytes || end <= word_ * word_bytes) continue;
      if (slots_.empty() || slots_.back() != stepper_.slot() + 1) slots_.push_back(stepper_.slot() + 1);
      return;
    }
  }
  std::vector<std::uint64_t> take() { return std::move(slots_); }

 private:
  static bool writes(simt::Access access) {
    return access == simt::Access::store || access == simt::Access::matrix_store ||
           access == simt::Access::async_copy_write || is_atomic(access);
  }

  std::uint64_t word_ = 0;
  const simt::BlockStepper& stepper_;
  std::vector<std::uint64_t> slots_;
};

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
      return {slot_at_lines(target.lines, target).value_or(target.backwards ? 0 : stepper_.slots()), ""};
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

// The nearest place at which a warp comes to one of the lines from another one.
std::optional<std::uint64_t> SteppedBlock::slot_at_lines(const std::vector<std::int64_t>& lines,
                                                         const StepTarget& target) const {
  std::vector<std::uint32_t> before(stepper_.block().warps.size(), 0);
  std::optional<std::uint64_t> last;
  for (std::uint64_t slot = 0; slot < stepper_.slots(); ++slot) {
    if (target.backwards && slot >= target.from) break;
    const std::uint32_t w = stepper_.warp_of(slot), line = places_.at(stepper_.code_of(slot)).line;
    const bool comes = line != before[w] && std::ranges::find(lines, std::int64_t{line}) != lines.end();
    before[w] = line;
    if (!comes) continue;
    if (!target.backwards && slot > target.from) return slot;
    if (target.backwards) last = slot;
  }
  return last;
}

SteppedBlock::Found SteppedBlock::find_line(const StepTarget& target) const {
  const std::optional<std::uint64_t> slot = slot_at_lines({*target.number}, target);
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
    const std::string_view opcode = opcode_of(places_.text(stepper_.code_of(slot)));
    return opcode == "mma" || opcode == "wmma" || opcode == "ldmatrix" || opcode == "stmatrix";
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
  const std::vector<std::uint64_t>& slots = writes_to(byte / word_bytes);
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
