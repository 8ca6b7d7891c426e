#pragma once

#include <string>

#include "sessions/views/source_excerpt.hpp"

namespace tilescope {

/// The line that an excerpt is about, with its number. Returns whether it has one.
bool draw_named_line(const SourceExcerpt& excerpt);

/// A tooltip for the last item while the mouse rests on it: sentences, then the line of the source between its
/// neighbours. Nothing where both are empty.
void source_tooltip(const std::string& text, const SourceExcerpt& excerpt);

}  // namespace tilescope
