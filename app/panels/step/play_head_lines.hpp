#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "app/widgets/code_list.hpp"

namespace tilescope {

class BlockStepping;

/// Lines of a file at which the warps of a stepped block are, and its breakpoints, for a list of its lines.
class PlayHeadLines {
 public:
  /// Once per frame. `file` is shown, "" for the kernel's own.
  void update(const BlockStepping& stepping, const std::string& file);
  /// Whether a block is being stepped: the lines then have a margin for its marks.
  bool is_shown() const { return is_shown_; }
  /// In the frame in which the chosen warp came to another place: whether it did, and its line in the file, none where it
  /// is in other files.
  bool has_moved() const { return has_moved_; }
  std::optional<std::uint32_t> line() const { return line_ > 0 ? std::optional(line_) : std::nullopt; }
  /// For a place in none of the shown file's lines: the header of the breakpoint that the chosen warp is at, else the
  /// kernel's own file.
  static std::string file_to_show(const BlockStepping& stepping);
  /// The next update counts as a move.
  void forget() { place_.clear(); }
  /// Marks a row of the file; `line` counts from 1.
  void mark(std::uint32_t line, CodeRow& row) const;

 private:
  bool is_shown_ = false, has_moved_ = false;
  std::uint64_t revision_ = 0;
  std::string file_;
  /// Place of the chosen warp, and its line in the file.
  std::string place_;
  std::uint32_t line_ = 0;
  std::set<std::uint32_t> lines_, breakpoints_;
};

}  // namespace tilescope
