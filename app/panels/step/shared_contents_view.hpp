#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "profiler/views/step/shared_contents.hpp"

namespace tilescope {

class Explorer;

/// Shared memory at the play head in the panel Shared memory: the contents of the words, and breakpoints on
/// writes to them.
class SharedContentsView {
 public:
  SharedContentsView() = default;
  /// `tag`: block_of_file for the opened file's play head.
  explicit SharedContentsView(std::string tag) : tag_(std::move(tag)) {}

  /// In every frame that shows it: asks for the words of the stop. False before they are there, after drawing why. PTX,
  /// which is stepped, must have the arrays of a file where `grid` has them.
  bool update(Explorer& explorer, const BankGrid& grid);
  const SharedContents& contents() const { return contents_; }
  /// Counts up with each new contents.
  std::uint64_t revision() const { return revision_; }

  /// One line: the block and its round.
  void draw_header(const Explorer& explorer) const;
  void draw_legend() const;
  /// Opens on a right click over the word of a byte, and is drawn in every frame. Marks "shared_memory.next_write",
  /// "shared_memory.last_write" and "shared_memory.watch".
  void draw_menu(Explorer& explorer, std::optional<std::int64_t> hovered);

 private:
  std::string tag_;
  std::shared_ptr<const StepStop> stop_;
  SharedContents contents_;
  std::uint64_t revision_ = 0;
  /// [B] The word of the menu.
  std::uint64_t byte_ = 0;
};

/// "K 64 to 127": what was found in a part, drawn in what is left of the line.
void draw_held_rows(const SharedContents& contents, const std::string& part);

}  // namespace tilescope
