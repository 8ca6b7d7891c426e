#include "profiler/execution/memory/finding_log.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

FindingLog::FindingLog(const simt::Program& program, std::string main_file)
    : program_(program), main_file_(std::move(main_file)), lines_(program.origins.size(), simt::no_index) {}

void FindingLog::begin_block(const simt::Block& block) {
  block_ = block.linear_index;
  block_index_ = {block.index.x, block.index.y, block.index.z};
}

// Instructions of one source line are one place, however often the compiler unrolled it. The number of a line must not
// depend on earlier findings: it is the first instruction of the line.
std::uint32_t FindingLog::line_of(std::uint32_t origin) {
  if (origin == simt::no_index) return simt::no_index;
  if (lines_[origin] != simt::no_index) return lines_[origin];
  const auto place = [this](std::uint32_t of) {
    const simt::SourceLine line = simt::kernel_line(program_, program_.origins[of].location, main_file_);
    return std::pair(line.file, line.line);
  };
  const auto here = place(origin);
  std::uint32_t first = origin;
  if (here.second != 0) {
    first = 0;
    while (place(first) != here) ++first;
  }
  return lines_[origin] = first;
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
  const Key key{static_cast<std::uint32_t>(occurrence.kind), 0, line_of(occurrence.earlier),
                line_of(occurrence.later)};
  bool is_first = false;
  Entry& entry = entry_of(key, is_first);
  if (is_first) entry.first = occurrence;
  entry.crosses_warps |=
      occurrence.earlier_thread / simt::lane_count != occurrence.later_thread / simt::lane_count;
}

void FindingLog::add_fault(const simt::Fault& fault) {
  const Key key{static_cast<std::uint32_t>(FindingKind::fault), static_cast<std::uint32_t>(fault.kind),
                simt::no_index, line_of(fault.origin)};
  bool is_first = false;
  Entry& entry = entry_of(key, is_first);
  if (!is_first) return;
  entry.first = {FindingKind::fault, simt::no_index, fault.origin, 0, fault.thread, fault.address, 0};
  entry.fault = fault.kind;
  entry.text = fault.text;
}

}  // namespace tilescope
