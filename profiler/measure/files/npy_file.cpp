#include "profiler/measure/files/npy_file.hpp"

#include <fmt/format.h>

#include <cstring>

namespace tilescope {
namespace {

// NumPy's letter for the kind, with the size in bytes: "<f4".
std::string numpy_type(const Element& element) {
  if (element.name == "bf16") return "<f4";
  const char letter = element.kind == Element::Kind::floating         ? 'f'
                      : element.kind == Element::Kind::signed_integer ? 'i'
                                                                      : 'u';
  return fmt::format("<{}{}", letter, element.bytes);
}

// The upper half of a float32 is the bf16.
std::string widened(std::string_view contents) {
  std::string wide(2 * contents.size(), '\0');
  for (std::size_t i = 0; i + 1 < contents.size(); i += 2)
    std::memcpy(wide.data() + 2 * i + 2, contents.data() + i, 2);
  return wide;
}

}  // namespace

// Format 1.0: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::string npy_file(const Element& element, const std::vector<std::uint64_t>& shape,
                     std::string_view contents) {
  constexpr std::size_t alignment = 64, before_header = 10;
  std::string sizes;
  for (const std::uint64_t size : shape) sizes += fmt::format("{}, ", size);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", numpy_type(element), sizes);
  while ((before_header + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + (element.name == "bf16" ? widened(contents) : std::string(contents));
}

}  // namespace tilescope
