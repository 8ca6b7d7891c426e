#include "profiler/explanation/model/block_l1.hpp"

#include <algorithm>

namespace tilescope::model {

BlockL1::BlockL1(double bytes)
    : most_lines_(static_cast<std::size_t>(std::max(bytes / static_cast<double>(bytes_of_line), 1.0))),
      entries_(1) {}

BlockL1::Line& BlockL1::find(std::uint64_t number) {
  // The accesses of neighbouring warps often meet in one line.
  const std::uint32_t first = entries_[0].behind;
  if (first != 0 && entries_[first].line.number == number) return entries_[first].line;
  if (const std::uint32_t found = entry_of_[number]; found != 0) {
    unlink(found);
    put_first(found);
    return entries_[found].line;
  }
  auto entry = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() <= most_lines_) {
    entries_.emplace_back();
  } else {
    entry = entries_[0].before;
    unlink(entry);
    entry_of_[entries_[entry].line.number] = 0;
    entries_[entry].line = {};
  }
  entries_[entry].line.number = number;
  entry_of_[number] = entry;
  put_first(entry);
  return entries_[entry].line;
}

void BlockL1::unlink(std::uint32_t entry) {
  entries_[entries_[entry].before].behind = entries_[entry].behind;
  entries_[entries_[entry].behind].before = entries_[entry].before;
}

void BlockL1::put_first(std::uint32_t entry) {
  const std::uint32_t second = entries_[0].behind;
  entries_[entry].before = 0;
  entries_[entry].behind = second;
  entries_[second].before = entry;
  entries_[0].behind = entry;
}

}  // namespace tilescope::model
