#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sessions/views/code/source_excerpt.hpp"

namespace tilescope {

/// A line of the kernel's own file, and the place in a header that was inlined there and is meant: "" for none.
struct NamedLine {
  std::int64_t line = 0;
  std::string inlined_place{};
};

/// The lines of a point's source, for those that name one.
struct SourceLinks {
  /// The excerpt around a line; an empty one where it is not known. It stays until the next frame.
  std::function<const SourceExcerpt&(const std::string& file, std::int64_t line)> find_excerpt;
  /// Shows a line of the kernel's own file in the memory panels; none where the point is of another kernel than the one
  /// under the sliders.
  std::function<void(const NamedLine& named)> show_line;
  /// Opens a panel that shows more of a figure, by its id.
  std::function<void(const std::string& panel)> show_panel;
  /// The kernel's own file, without its folder.
  std::string kernel_file;

  bool leads_to(const std::string& file, std::int64_t line) const {
    return show_line && line > 0 && (file.empty() || file == kernel_file);
  }
};

/// Around the place that is meant, or the line of the kernel's own file where the header is not known.
const SourceExcerpt& excerpt_around(const SourceLinks& links, const NamedLine& named);

/// The line with its number, as a link. Returns whether the source has it; the last item is then the whole.
bool draw_named_line(const SourceLinks& links, const NamedLine& named);

/// A tooltip for the last item while the mouse rests on it: sentences, then the line of the source between its
/// neighbours, then what a click does. Nothing where all are empty.
void source_tooltip(const std::string& text, const SourceExcerpt& excerpt, const std::string& hint = {});

}  // namespace tilescope
