#include "profiler/execution/simt/printf_format.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string_view>
#include <utility>

namespace tilescope::simt {
namespace {

// More columns than a line has: a larger width or precision is a mistake of the kernel's that would fill memory.
constexpr int most_columns = 4096;

// "%-8.3lld": what stands between the percent sign and the letter.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  std::string_view length;
  char letter = 0;
  int arguments = 0;
};

class Formatter {
 public:
  Formatter(std::string_view format, const PrintfArguments& arguments)
      : rest_(format), arguments_(arguments) {}

  Printed print() {
    while (!rest_.empty()) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      printed_.text += rest_.substr(0, percent);
      rest_.remove_prefix(percent);
      if (!rest_.empty()) convert();
    }
    return std::move(printed_);
  }

 private:
  void convert() {
    const std::string_view whole = rest_;
    rest_.remove_prefix(1);
    Conversion conversion;
    while (!rest_.empty() && std::string_view("-+ #0").find(rest_.front()) != std::string_view::npos)
      conversion.flags += take();
    conversion.width = take_number();
    if (!rest_.empty() && rest_.front() == '.') {
      take();
      conversion.precision = std::max(take_number(), 0);
    }
    conversion.length = take_length();
    if (!rest_.empty()) conversion.letter = take();
    if (!put(conversion)) printed_.text += whole.substr(0, whole.size() - rest_.size());
  }

  char take() {
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }

  // -1 where there is none.
  int take_number() {
    if (!rest_.empty() && rest_.front() == '*') {
      take();
      return std::clamp(static_cast<int>(next(4)), -most_columns, most_columns);
    }
    int number = -1;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9')
      number = std::min(std::max(number, 0) * 10 + (take() - '0'), most_columns);
    return number;
  }

  std::string_view take_length() {
    for (const std::string_view known : {"ll", "hh", "l", "h", "z", "j", "t"}) {
      if (!rest_.starts_with(known)) continue;
      rest_.remove_prefix(known.size());
      return known;
    }
    return "";
  }

  std::uint64_t next(int bytes) {
    ++printed_.arguments;
    return arguments_.next(bytes);
  }

  bool put(const Conversion& conversion) {
    switch (conversion.letter) {
      case '%':
        printed_.text += '%';
        return true;
      case 'd':
      case 'i':
        put_with(conversion, "lld", static_cast<long long>(signed_argument(conversion.length)));
        return true;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        put_with(conversion, std::string("ll") + conversion.letter,
                 static_cast<unsigned long long>(unsigned_argument(conversion.length)));
        return true;
      case 'c':
        put_with(conversion, "c", static_cast<int>(next(4)));
        return true;
      case 'p':
        put_pointer(conversion);
        return true;
      case 's':
        put_text(conversion);
        return true;
      default:
        if (conversion.letter == 0 ||
            std::string_view("fFeEgGaA").find(conversion.letter) == std::string_view::npos)
          return false;
        put_with(conversion, std::string(1, conversion.letter), std::bit_cast<double>(next(8)));
        return true;
    }
  }

  static bool is_wide(std::string_view length) { return !length.empty() && length.front() != 'h'; }

  std::int64_t signed_argument(std::string_view length) {
    if (is_wide(length)) return static_cast<std::int64_t>(next(8));
    const auto value = static_cast<std::int32_t>(next(4));
    if (length == "hh") return static_cast<std::int8_t>(value);
    return length == "h" ? static_cast<std::int16_t>(value) : value;
  }
  std::uint64_t unsigned_argument(std::string_view length) {
    if (is_wide(length)) return next(8);
    const std::uint64_t value = next(4) & 0xffff'ffff;
    if (length == "hh") return value & 0xff;
    return length == "h" ? value & 0xffff : value;
  }

  void put_pointer(const Conversion& conversion) {
    Conversion with_prefix = conversion;
    with_prefix.flags += '#';
    const std::uint64_t address = next(8);
    if (address == 0) return put_with(conversion, "s", "(nil)");
    put_with(with_prefix, "llx", static_cast<unsigned long long>(address));
  }

  void put_text(const Conversion& conversion) {
    const std::uint64_t address = next(8);
    const std::string text = address == 0 ? "(null)" : arguments_.text_at(address);
    put_with(conversion, "s", text.c_str());
  }

  template <class Value>
  void put_with(const Conversion& conversion, const std::string& letters, Value value) {
    std::string format = "%" + conversion.flags;
    if (conversion.width != -1) format += std::to_string(conversion.width);
    if (conversion.precision != -1) format.append(".").append(std::to_string(conversion.precision));
    format += letters;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    const int bytes = std::snprintf(nullptr, 0, format.c_str(), value);
    if (bytes <= 0) return;
    std::string text(static_cast<std::size_t>(bytes) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma GCC diagnostic pop
    text.pop_back();
    printed_.text += text;
  }

  std::string_view rest_;
  const PrintfArguments& arguments_;
  Printed printed_;
};

}  // namespace

Printed format_printf(const std::string& format, const PrintfArguments& arguments) {
  return Formatter(format, arguments).print();
}

}  // namespace tilescope::simt
