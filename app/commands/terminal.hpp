#pragma once

#include <cstddef>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// [characters] The width of the terminal behind stdout, kept between 40 and `widest`; `otherwise` where stdout is not
/// a terminal.
std::size_t output_width(std::size_t widest, std::size_t otherwise);

/// Wraps a sentence of a result to the terminal's width, to 100 characters where stdout is none or is wider. Lines
/// after the first start with `indent` spaces.
std::string prose(const std::string& text, std::size_t indent);

enum class TextColor { none, green, yellow, red };

/// Whether stdout shows colours: a terminal other than TERM=dumb, and NO_COLOR is not set (no-color.org).
bool shows_colors();

/// The text in a color, or as it is where stdout shows no colours.
std::string colored(const std::string& text, TextColor color);

/// Green for a correct result, red for an error of the kernel, yellow for all else.
TextColor text_color_of(const Measurement& point);

}  // namespace tilescope
