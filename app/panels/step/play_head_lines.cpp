#include "app/panels/step/play_head_lines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

void PlayHeadLines::update(const BlockStepping& stepping, const std::string& file) {
  const auto stop = stepping.stop();
  has_moved_ = false;
  is_shown_ = stop && !stepping.is_outdated();
  if (!is_shown_ || (stepping.revision() == revision_ && file == file_)) return;
  revision_ = stepping.revision();
  file_ = file;
  lines_.clear();
  breakpoints_.clear();
  for (const BreakpointLine& one : stepping.breakpoints()) {
    if (one.file == file) breakpoints_.insert(one.line);
  }
  for (const WarpStop& warp : stop->warps) {
    for (const std::uint32_t line : lines_in_file(warp, file)) lines_.insert(line);
  }
  const std::uint64_t warp = stepping.view().warp;
  line_ = 0;
  if (warp >= stop->warps.size()) return;
  const std::vector<std::uint32_t> lines = lines_in_file(stop->warps[warp], file);
  if (!lines.empty()) line_ = lines.front();
  std::string place = warp_place_words(stop->warps[warp]);
  has_moved_ = place != std::exchange(place_, place) && stop->slot > 0;
}

std::string PlayHeadLines::file_to_show(const BlockStepping& stepping) {
  const auto stop = stepping.stop();
  const std::uint64_t warp = stepping.view().warp;
  if (!stop || warp >= stop->warps.size()) return "";
  for (const BreakpointLine& one : stepping.breakpoints()) {
    const std::vector<std::uint32_t> lines = lines_in_file(stop->warps[warp], one.file);
    if (std::ranges::find(lines, one.line) != lines.end()) return one.file;
  }
  return "";
}

void PlayHeadLines::mark(std::uint32_t line, CodeRow& row) const {
  if (!is_shown_) return;
  row.is_breakpoint = breakpoints_.contains(line);
  if (lines_.contains(line)) row.background = wash(palette().selection, 2 * tint_opacity);
  row.is_play_head = line == line_;
}

}  // namespace tilescope
