#include "base/text/cut_text.hpp"

#include <cstddef>

namespace tilescope {
namespace {

/// Whether a byte continues a character of UTF-8.
bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::string with_bytes(const std::string& text, std::size_t kept) {
  std::size_t before = kept / 3, after = text.size() - (kept - kept / 3);
  while (before > 0 && continues_character(text[before])) --before;
  while (after < text.size() && continues_character(text[after])) ++after;
  return text.substr(0, before) + "…" + text.substr(after);
}

}  // namespace

std::string cut_in_the_middle(const std::string& text, const std::function<bool(const std::string&)>& fits) {
  if (fits(text)) return text;
  std::size_t fitting = 0, too_many = text.size();
  while (too_many - fitting > 1) {
    const std::size_t kept = fitting + (too_many - fitting) / 2;
    (fits(with_bytes(text, kept)) ? fitting : too_many) = kept;
  }
  return with_bytes(text, fitting);
}

}  // namespace tilescope
