#pragma once

#include <cstddef>
#include <string>

namespace tilescope {

// The shapes that plots of reports consist of.

/// All plots are as wide, in points of the picture.
inline constexpr double plot_width = 1024;
/// Width of a letter on average.
inline constexpr double letter_width = 6.9;

/// Points of the picture with one decimal at most.
std::string px(double value);
/// The text is escaped.
std::string text_at(double x, double y, const std::string& classes, const std::string& text);
std::string line(double x1, double y1, double x2, double y2, const std::string& classes);
/// A bar with rounded corners.
std::string rectangle(double x, double y, double width, double height, const std::string& classes);
/// The number of characters of UTF-8.
std::size_t letters(const std::string& text);
/// A name that is too long keeps its beginning.
std::string shortened(const std::string& text, std::size_t most);
/// The whole picture; `description` is for readers that do not see it.
std::string svg(double height, const std::string& description, const std::string& content);

}  // namespace tilescope
