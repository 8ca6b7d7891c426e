#include "profiler/execution/memory/finding_log.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

FindingLog::FindingLog(const simt::Program& program, std::string main_file)
    : program_(program), main_file_(std::move(main_file)) {}

void FindingLog::begin_block(const simt::Block& block) {
  block_ = block.linear_index;
  block_index_ = {block.index.x, block.index.y, block.index.z};
}

// Instructions of one source line that is reached by the same calls are one place, however often the compiler unrolled it.
// The number of a place must not depend on earlier findings: it is the place's first instruction.
void FindingLog::number_places() {
  std::map<std::vector<std::pair<std::string, std::uint32_t>>, std::uint32_t> first;
  for (std::uint32_t origin = 0; origin < program_.origins.size(); ++origin) {
    std::vector<std::pair<std::string, std::uint32_t>> calls;
    for (const simt::SourceLine& line : simt::source_lines(program_, program_.origins[origin].location))
      calls.emplace_back(line.file, line.line);
    places_.push_back(calls.empty() ? origin : first.try_emplace(calls, origin).first->second);
  }
}

std::uint32_t FindingLog::place_of(std::uint32_t origin) {
  if (origin == simt::no_index) return simt::no_index;
  if (places_.empty()) number_places();
  return places_[origin];
}

FindingLog::Entry& FindingLog::entry_of(const Key& key, bool& is_first) {
  const auto [found, is_new] = entries_.try_emplace(key);
  Entry& entry = found->second;
  is_first = is_new || block_ < entry.block;
  if (is_new || entry.last_event != event_) ++entry.occurrences;
  entry.last_event = event_;
  if (is_first) {
    entry.block = block_;
    entry.block_index = block_index_;
  }
  return entry;
}

void FindingLog::add(const Occurrence& occurrence) {
  const Key key{static_cast<std::uint32_t>(occurrence.kind), 0, place_of(occurrence.earlier),
                place_of(occurrence.later)};
  bool is_first = false;
  Entry& entry = entry_of(key, is_first);
  const bool crosses_warps =
      occurrence.earlier_thread / simt::lane_count != occurrence.later_thread / simt::lane_count;
  // Threads of two warps show that __syncwarp() is not enough.
  const bool is_fault = occurrence.kind != FindingKind::same_value_store;
  const bool shows_more = is_fault && crosses_warps && !entry.crosses_warps && block_ == entry.block;
  if (is_first || shows_more) entry.first = occurrence;
  entry.crosses_warps |= crosses_warps;
}

void FindingLog::add_unwritten(std::uint32_t reading_origin) {
  const auto found = entries_.find({static_cast<std::uint32_t>(FindingKind::uninitialised_read), 0,
                                    simt::no_index, place_of(reading_origin)});
  if (found != entries_.end()) found->second.stays_unwritten = true;
}

void FindingLog::add_fault(const simt::Fault& fault) {
  const Key key{static_cast<std::uint32_t>(FindingKind::fault), static_cast<std::uint32_t>(fault.kind),
                simt::no_index, place_of(fault.origin)};
  bool is_first = false;
  Entry& entry = entry_of(key, is_first);
  if (!is_first) return;
  entry.first = {FindingKind::fault, simt::no_index, fault.origin, 0, fault.thread, fault.address, 0};
  entry.fault = fault.kind;
  entry.text = fault.text;
}

}  // namespace tilescope
