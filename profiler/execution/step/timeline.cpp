#include <algorithm>
#include <array>
#include <map>

#include "profiler/execution/step/stepped_block.hpp"

// The block as it was issued.
namespace tilescope {
namespace {

constexpr std::uint64_t most_cells = 1 << 14;
constexpr char waits = 'w', has_ended = ' ';

}  // namespace

// The phase of most instructions in each cell; 'w' where the warp issued less than it had turns.
std::string SteppedBlock::cells_of(std::size_t warp, const StepRange& range,
                                   std::uint64_t rounds_per_cell) const {
  const std::vector<std::uint32_t>& slots = events_.slots_of(warp);
  const std::uint64_t cells = (range.end_round - range.first_round + rounds_per_cell - 1) / rounds_per_cell;
  std::string letters;
  letters.reserve(cells);
  auto at = std::ranges::lower_bound(slots, stepper_.first_slot(range.first_round));
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t begin = range.first_round + cell * rounds_per_cell;
    const std::uint64_t end = std::min(begin + rounds_per_cell, range.end_round);
    const std::uint64_t end_slot = stepper_.first_slot(end);
    std::map<char, std::uint64_t> counts;
    std::uint64_t issued = 0;
    for (; at != slots.end() && *at < end_slot; ++at, ++issued)
      ++counts[letter_of(places_.at(stepper_.code_of(*at)).phase)];
    if (issued < end - begin) counts[at == slots.end() ? has_ended : waits] += end - begin - issued;
    letters += std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
  }
  return letters;
}

StepTimeline SteppedBlock::timeline(const StepRange& wanted) const {
  StepTimeline timeline;
  timeline.rounds = stepper_.rounds();
  timeline.slots = stepper_.slots();
  StepRange range = wanted;
  range.end_round = std::min(range.end_round, stepper_.rounds());
  range.first_round = std::min(range.first_round, range.end_round);
  const std::uint64_t cells = std::clamp<std::uint64_t>(range.cells, 1, most_cells);
  const std::uint64_t rounds = range.end_round - range.first_round;
  timeline.first_round = range.first_round;
  timeline.end_round = range.end_round;
  timeline.rounds_per_cell = std::max<std::uint64_t>((rounds + cells - 1) / cells, 1);
  const std::size_t warps = stepper_.block().warps.size();
  for (std::size_t w = 0; w < warps; ++w)
    timeline.warps.push_back(cells_of(w, range, timeline.rounds_per_cell));
  if (timeline.rounds_per_cell == 1) {
    std::map<std::uint32_t, std::int64_t> numbers;  // by code
    timeline.issued.assign(warps, std::vector<std::int64_t>(rounds, -1));
    for (std::uint64_t round = range.first_round; round < range.end_round; ++round) {
      for (std::uint64_t slot = stepper_.first_slot(round); slot < stepper_.first_slot(round + 1); ++slot) {
        const std::uint32_t at = stepper_.code_of(slot);
        const auto [number, is_new] = numbers.try_emplace(at, static_cast<std::int64_t>(numbers.size()));
        if (is_new) {
          timeline.instructions.push_back(places_.text(at));
          timeline.lines.push_back(places_.at(at).line);
          timeline.ptx_lines.push_back(places_.at(at).ptx_line);
        }
        timeline.issued[stepper_.warp_of(slot)][round - range.first_round] = number->second;
      }
    }
  }
  for (const StepMark& mark : events_.barriers()) {
    if (mark.round >= range.first_round && mark.round <= range.end_round) timeline.barriers.push_back(mark);
  }
  timeline.tiles = events_.tiles();
  return timeline;
}

}  // namespace tilescope
