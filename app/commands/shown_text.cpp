#include "app/commands/shown_text.hpp"

#include <random>

#include "base/text/visible_text.hpp"

namespace tilescope {
namespace {

/// The beginning of every colour of this process. Data cannot have it: the number is drawn at random.
const std::string& color_mark() {
  static const std::string mark = [] {
    std::random_device device;
    return "\033[" + std::to_string(device()) + std::to_string(device()) + ";";
  }();
  return mark;
}

/// `escape` is applied between the colours, `color` to the number of each.
template <class Escape, class Color>
std::string with_colors(std::string_view text, const Escape& escape, const Color& color) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find(color_mark());
    result += escape(text.substr(0, begin));
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin + color_mark().size());
    const std::size_t end = text.find('m');
    result += color(std::string(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::string marked(const std::string& number) {
  return color_mark() + number + "m";
}

}  // namespace

std::string own_color(const char* number) {
  return marked(number);
}

std::string shown_text(std::string_view text) {
  return with_colors(text, visible_text, [](const std::string& number) { return "\033[" + number + "m"; });
}

std::string shown_prose(std::string_view text) {
  return with_colors(text, visible_text, marked);
}

std::string shown_line(std::string_view text) {
  return with_colors(text, visible_line, marked);
}

}  // namespace tilescope
