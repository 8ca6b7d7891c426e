#include "app/commands/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "app/commands/shown_text.hpp"
#include "app/commands/text_table.hpp"

namespace tilescope {
namespace {

constexpr std::size_t narrowest = 40;
constexpr std::size_t usual_width = 80;
constexpr std::size_t widest_prose = 100;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const char* color_number(TextColor color) {
  switch (color) {
    case TextColor::green:
      return "32";
    case TextColor::yellow:
      return "33";
    case TextColor::red:
      return "31";
    case TextColor::none:
      break;
  }
  return "0";
}

}  // namespace

std::size_t output_width(std::size_t widest, std::size_t otherwise) {
  if (::isatty(STDOUT_FILENO) != 1) return otherwise;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return std::clamp<std::size_t>(known ? size.ws_col : usual_width, narrowest, widest);
}

std::string prose(const std::string& text, std::size_t indent) {
  // Before the blanks are looked for, so that control characters among them are seen.
  return wrapped(shown_prose(text), output_width(widest_prose, widest_prose) - indent, indent);
}

bool shows_colors() {
  return ::isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string colored(const std::string& text, TextColor color) {
  if (color == TextColor::none || !shows_colors()) return text;
  return own_color(color_number(color)) + text + own_color("0");
}

TextColor text_color_of(const Measurement& point) {
  if (point.status == Status::ok) return point.error ? TextColor::green : TextColor::yellow;
  const bool is_bad = point.status == Status::wrong_result || point.status == Status::compile_failed ||
                      point.status == Status::launch_failed;
  return is_bad ? TextColor::red : TextColor::yellow;
}

}  // namespace tilescope
