#include "base/text/visible_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace tilescope {
namespace {

struct CodePoints {
  std::uint32_t first, last;
};

/// Beyond ASCII, in rising order.
constexpr std::array hidden{
    CodePoints{0x80, 0x9F},        // C1 controls: U+009B begins an escape sequence, as ESC [ does.
    CodePoints{0x061C, 0x061C},    // Arabic letter mark.
    CodePoints{0x200E, 0x200F},    // Left-to-right and right-to-left mark.
    CodePoints{0x2028, 0x202E},    // Line and paragraph separator, embeddings and overrides of direction.
    CodePoints{0x2066, 0x206F},    // Isolates, and deprecated format characters.
    CodePoints{0xFDD0, 0xFDEF},    // No characters.
    CodePoints{0xFEFF, 0xFEFF},    // Byte order mark.
    CodePoints{0xFFF9, 0xFFFB},    // Interlinear annotation.
    CodePoints{0xFFFE, 0xFFFF},    // No characters; XML 1.0 forbids them.
    CodePoints{0xE0000, 0xE007F},  // Tags, which no font shows.
};

/// A code point and how many bytes it has; 0 bytes where the text is not UTF-8.
struct Decoded {
  std::uint32_t code = 0;
  std::size_t size = 0;
};

/// `text` begins with a byte beyond ASCII.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  return {code, size};
}

bool is_hidden(std::uint32_t code) {
  const auto after = std::ranges::lower_bound(hidden, code, {}, &CodePoints::last);
  return (after != hidden.end() && after->first <= code) || (code & 0xFFFEU) == 0xFFFE;
}

std::string escaped(const char* format, std::uint32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(code));
  return text.data();
}

/// How many bytes at the front of `text` were appended to `result`.
std::size_t add_character(std::string& result, std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte < 0x80) {
    result += byte < 0x20 || byte == 0x7F ? escaped("\\x%02x", byte) : std::string(1, text.front());
    return 1;
  }
  const Decoded decoded = decode(text);
  if (decoded.size == 0) {
    result += escaped("\\x%02x", byte);
    return 1;
  }
  if (is_hidden(decoded.code)) {
    result += escaped(decoded.code > 0xFFFF ? "\\U%08x" : "\\u%04x", decoded.code);
  } else {
    result += text.substr(0, decoded.size);
  }
  return decoded.size;
}

const char* line_break_escape(char letter) {
  switch (letter) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return nullptr;
  }
}

std::string visible(std::string_view text, bool has_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char letter = text.front();
    std::size_t used = 1;
    if (has_lines && (letter == '\n' || letter == '\t')) {
      result += letter;
    } else if (has_lines && text.starts_with("\r\n")) {
      result += '\n';
      used = 2;
    } else if (const char* escape = line_break_escape(letter)) {
      result += escape;
    } else {
      used = add_character(result, text);
    }
    text.remove_prefix(used);
  }
  return result;
}

/// A code point as a string of JSON may have it.
std::string json_escape(std::uint32_t code) {
  if (code <= 0xFFFF) return escaped("\\u%04x", code);
  const std::uint32_t rest = code - 0x10000;
  return escaped("\\u%04x", 0xD800 + (rest >> 10U)) + escaped("\\u%04x", 0xDC00 + (rest & 0x3FFU));
}

}  // namespace

std::string visible_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    const auto byte = static_cast<unsigned char>(json.front());
    const Decoded decoded = byte < 0x80 ? Decoded{byte, 1} : decode(json);
    const std::size_t size = decoded.size == 0 ? 1 : decoded.size;
    if (byte == 0x7F || (byte >= 0x80 && is_hidden(decoded.code))) {
      result += json_escape(decoded.code);
    } else {
      result += json.substr(0, size);
    }
    json.remove_prefix(size);
  }
  return result;
}

std::string visible_text(std::string_view text) {
  return visible(text, true);
}

std::string visible_line(std::string_view text) {
  return visible(text, false);
}

}  // namespace tilescope
