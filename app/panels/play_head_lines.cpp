#include "app/panels/play_head_lines.hpp"

#include "app/explorer/explorer.hpp"
#include "app/shell/theme.hpp"

namespace tilescope {

std::optional<std::uint32_t> PlayHeadLines::update(const Explorer& explorer) {
  const BlockStepping& stepping = explorer.block_stepping();
  const auto stop = stepping.stop();
  is_shown_ = stop && !stepping.is_outdated();
  if (!is_shown_ || stepping.revision() == revision_) return std::nullopt;
  revision_ = stepping.revision();
  breakpoints_ = stepping.breakpoints();
  lines_.clear();
  for (const WarpStop& warp : stop->warps) {
    if (warp.line > 0) lines_.insert(warp.line);
  }
  const std::uint64_t warp = stepping.view().warp;
  const std::uint32_t line = warp < stop->warps.size() ? stop->warps[warp].line : 0;
  const bool has_moved = line != line_ && stop->slot > 0;
  line_ = line;
  if (!has_moved || line == 0) return std::nullopt;
  return line;
}

void PlayHeadLines::mark(std::uint32_t line, CodeRow& row) const {
  if (!is_shown_) return;
  row.is_breakpoint = breakpoints_.contains(line);
  if (lines_.contains(line)) row.background = wash(palette().selection, 2 * tint_opacity);
  row.is_play_head = line == line_;
}

}  // namespace tilescope
