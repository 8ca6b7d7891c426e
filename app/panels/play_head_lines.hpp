#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "app/widgets/code_list.hpp"

namespace tilescope {

class Explorer;

/// Where the warps of a stepped block stand in the kernel's own file, and its breakpoints, for the panel Source.
class PlayHeadLines {
 public:
  /// Once per frame. Returns the line to bring into view where the play head has moved.
  std::optional<std::uint32_t> update(const Explorer& explorer);
  /// Whether a block is being stepped: the lines then have a margin for its marks.
  bool is_shown() const { return is_shown_; }
  /// Marks a row of the kernel's own file; `line` counts from 1.
  void mark(std::uint32_t line, CodeRow& row) const;

 private:
  bool is_shown_ = false;
  std::uint64_t revision_ = 0;
  /// Of the chosen warp.
  std::uint32_t line_ = 0;
  std::set<std::uint32_t> lines_, breakpoints_;
};

}  // namespace tilescope
