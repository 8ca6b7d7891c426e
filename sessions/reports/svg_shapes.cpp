#include "sessions/reports/svg_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/html.hpp"

namespace tilescope {

std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string text_at(double x, double y, const std::string& classes, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", px(x), px(y), classes,
                     html_escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

std::string rectangle(double x, double y, double width, double height, const std::string& classes) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" class=\"{}\"/>\n", px(x),
                     px(y), px(width), px(height), classes);
}

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t most) {
  if (letters(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && count++ == most - 1) break;
  }
  return text.substr(0, end) + "…";
}

std::string svg(double height, const std::string& description, const std::string& content) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>", px(plot_width),
                     px(height), html_escaped(description), content);
}

}  // namespace tilescope
