#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/measure/files/element.hpp"

namespace tilescope {

/// An array as numpy.save() writes it, in C order.
class NpyArray {
 public:
  /// `contents` must outlive it. Throws std::invalid_argument with what is wrong and how to save it.
  explicit NpyArray(std::string_view contents);

  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// Elements.
  std::uint64_t count() const { return count_; }
  /// The items as elements of a buffer: numbers of any floating-point type or width are rounded to a floating-point
  /// element, whole numbers must fit an integer, and b8 to b64 take items of their size. Throws std::invalid_argument.
  std::vector<std::byte> elements(const Element& element) const;
  /// "float32 of shape (3, 4)"
  std::string description() const;

 private:
  void read_header(std::string_view header);
  void read_type(const std::string& type);
  void check_type(const Element& element) const;
  std::uint64_t item(std::uint64_t index) const;
  std::uint64_t bits(std::uint64_t item, const Element& element) const;
  bool is_signed() const { return kind_ == 'i'; }

  // NumPy's letter: f, i, u, b (bool), V (bytes without a type).
  char kind_ = 'V';
  std::size_t item_bytes_ = 0;
  // Where the kind is f.
  Element float_type_;
  bool is_big_endian_ = false;
  std::vector<std::uint64_t> shape_;
  std::uint64_t count_ = 1;
  std::string_view items_;
};

}  // namespace tilescope
