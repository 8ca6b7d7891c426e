#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilescope::test_support {

/// A file as numpy.save() writes it, without the padding of its header.
inline std::string npy_bytes(const std::string& type, const std::string& shape, const std::string& items,
                             bool is_fortran = false) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                             ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + items;
}

template <class T>
std::string items_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::string npy_of(const std::string& type, const std::vector<T>& values) {
  return npy_bytes(type, "(" + std::to_string(values.size()) + ",)", items_of(values));
}

}  // namespace tilescope::test_support
