#include "profiler/service/requests/base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace tilescope {
namespace {

constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_letter = 64;
constexpr char padding = '=';
constexpr std::size_t group_bytes = 3, group_letters = 4;

constexpr std::array<std::uint8_t, 256> values_of_letters() {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_letter);
  for (std::size_t i = 0; i < base64_letters.size(); ++i)
    values[static_cast<std::uint8_t>(base64_letters[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> letter_values = values_of_letters();

[[noreturn]] void refuse_base64() {
  throw std::invalid_argument("the text is not base64");
}

std::uint32_t value_of_letter(char letter) {
  const std::uint8_t value = letter_values[static_cast<std::uint8_t>(letter)];
  if (value == no_letter) refuse_base64();
  return value;
}

// Appends the bytes of four letters, of which the last ones may be padding.
void append_group(std::string_view group, bool is_last, std::string& bytes) {
  std::size_t count = group_bytes;
  if (is_last && group[3] == padding) count = group[2] == padding ? 1 : 2;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < group_letters; ++i)
    bits = bits << 6U | (i <= count ? value_of_letter(group[i]) : 0U);
  if ((bits & (0xff'ffffU >> (8U * count))) != 0) refuse_base64();  // bits that no byte has
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(bits >> (16U - 8U * i) & 0xffU);
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + group_bytes - 1) / group_bytes * group_letters);
  for (std::size_t at = 0; at < bytes.size(); at += group_bytes) {
    const std::string_view group = bytes.substr(at, group_bytes);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < group_bytes; ++i)
      bits = bits << 8U | (i < group.size() ? static_cast<std::uint8_t>(group[i]) : 0U);
    for (std::size_t i = 0; i < group_letters; ++i)
      text += i <= group.size() ? base64_letters[bits >> (18U - 6U * i) & 63U] : padding;
  }
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % group_letters != 0) refuse_base64();
  std::string bytes;
  bytes.reserve(text.size() / group_letters * group_bytes);
  for (std::size_t at = 0; at < text.size(); at += group_letters)
    append_group(text.substr(at, group_letters), at + group_letters == text.size(), bytes);
  return bytes;
}

const Form<std::string> base64_form{[](const std::string& bytes) { return Json(to_base64(bytes)); },
                                    [](const Json& json) {
                                      std::string text;
                                      read_value(json, text);
                                      return from_base64(text);
                                    }};

}  // namespace tilescope
