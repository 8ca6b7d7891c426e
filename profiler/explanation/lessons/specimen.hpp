#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "profiler/explanation/lessons/lesson.hpp"
#include "sessions/measurement.hpp"

/// A specimen is the source of an exhibit from which nothing can be read about its fault but by looking at the code: the
/// comment above, the card and the parameter FAULT are gone, and what depends on FAULT is resolved.
namespace tilescope {

/// Throws std::invalid_argument where an edit does not fit the source or FAULT is left.
std::string specimen_source(const std::string& exhibit_source, const LessonMuseum& museum, bool is_faulty);

/// The exhibit itself.
LessonConfiguration exhibit_of(const LessonMuseum& museum, bool is_faulty);

/// Whether two points have the same machine code, or fail alike.
bool is_same_kernel(const Measurement& specimen, const Measurement& exhibit);

/// Why a specimen is not repaired, in sentences; "" where its result is correct, the checkers find no fault, and it needs
/// no more than 5% more of anything that is counted or predicted than the sound exhibit. Both were run with the
/// checkers. `is_exact`: nor 5% less.
std::string why_not_repaired(const Measurement& specimen, const Measurement& sound, bool is_exact);

/// First and last line, from 1, of "57" or "57-59"; nothing for another text.
std::optional<std::pair<std::size_t, std::size_t>> line_range_from(const std::string& text);
/// The lines of a range without the last line break; "" behind the end.
std::string lines_of(const std::string& source, std::size_t first, std::size_t last);
/// The source with other lines in the place of a range. An empty replacement removes the lines.
std::string with_lines(const std::string& source, std::size_t first, std::size_t last,
                       const std::string& replacement);

}  // namespace tilescope
