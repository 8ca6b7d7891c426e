#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/views/code/linked_listing.hpp"

namespace tilescope {

/// The search in the columns of the panel Source: its box, its hits, and the one that is looked at.
class SourceSearch {
 public:
  struct Hit {
    CodeColumn column = CodeColumn::cuda;
    std::uint32_t row = 0;
  };
  /// A column that is shown, with its lines.
  using Columns = std::vector<std::pair<CodeColumn, const std::vector<std::string>*>>;

  /// The box with count and buttons; `width` [px] of the box. Once per frame.
  void draw(float width);
  /// Finds the hits again where the text or `generation`, which counts up with the columns, changed.
  void update(const Columns& columns, std::uint64_t generation);

  const std::string& text() const { return text_; }
  std::optional<Hit> current() const;
  std::size_t hits() const { return hits_.size(); }
  /// The hit that the user went to since the last call.
  std::optional<Hit> take_moved();

 private:
  void move(bool forward);

  std::string text_, found_text_;
  std::uint64_t found_generation_ = 0;
  std::vector<Hit> hits_;
  std::size_t current_ = 0;
  bool moved_ = false;
  bool wants_focus_ = false;
};

}  // namespace tilescope
