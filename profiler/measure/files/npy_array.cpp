#include "profiler/measure/files/npy_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/json.hpp"

namespace tilescope {
namespace {

using Kind = Element::Kind;
constexpr std::string_view magic = "\x93NUMPY";
constexpr const char* save_again = "save it again with numpy.save()";

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

// The header's text; `contents` then begins with the items.
std::string_view take_header(std::string_view& contents) {
  constexpr std::size_t version_at = magic.size();
  if (!contents.starts_with(magic) || contents.size() < version_at + 2)
    refuse(fmt::format("it is not a .npy file: {}", save_again));
  const auto version = static_cast<unsigned char>(contents[version_at]);
  if (version < 1 || version > 3) refuse(fmt::format("it has the unknown version {} of .npy", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  contents.remove_prefix(version_at + 2);
  if (contents.size() < length_bytes) refuse(fmt::format("it is cut off: {}", save_again));
  const std::uint64_t length = little_endian(contents.substr(0, length_bytes));
  contents.remove_prefix(length_bytes);
  if (contents.size() < length) refuse(fmt::format("it is cut off: {}", save_again));
  const std::string_view header = contents.substr(0, length);
  contents.remove_prefix(length);
  return header;
}

// The text behind "'key':" in the Python literal of a header.
std::string_view member_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) refuse(fmt::format("its header has no '{}': {}", key, save_again));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::vector<std::uint64_t> shape_of(std::string_view text) {
  std::vector<std::uint64_t> shape;
  if (!text.starts_with('(')) refuse(fmt::format("its shape cannot be read: {}", save_again));
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.starts_with(')')) return shape;
    std::uint64_t size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc{}) refuse(fmt::format("its shape cannot be read: {}", save_again));
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
}

bool is_known(char kind, std::size_t bytes) {
  switch (kind) {
    case 'f':
      return bytes == 2 || bytes == 4 || bytes == 8;
    case 'i':
    case 'u':
    case 'V':
      return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    default:
      return kind == 'b' && bytes == 1;
  }
}

}  // namespace

NpyArray::NpyArray(std::string_view contents) {
  read_header(take_header(contents));
  for (const std::uint64_t size : shape_) {
    if (size > 0 && count_ > std::numeric_limits<std::uint64_t>::max() / 16 / size)
      refuse(fmt::format("its shape cannot be read: {}", save_again));
    count_ *= size;
  }
  if (contents.size() < count_ * item_bytes_) {
    refuse(fmt::format("it has {} B of items, where {} takes {} B: {}", contents.size(), description(),
                       count_ * item_bytes_, save_again));
  }
  items_ = contents.substr(0, count_ * item_bytes_);
}

void NpyArray::read_header(std::string_view header) {
  const std::string_view type = member_of(header, "descr");
  const std::size_t end = type.size() < 2 ? std::string_view::npos : type.find('\'', 1);
  if (!type.starts_with('\'') || end == std::string_view::npos)
    refuse("it holds records with members: save an array of numbers");
  read_type(std::string(type.substr(1, end - 1)));
  shape_ = shape_of(member_of(header, "shape"));
  if (!member_of(header, "fortran_order").starts_with("False"))
    refuse("it is in Fortran order: save numpy.ascontiguousarray(a)");
}

void NpyArray::read_type(const std::string& type) {
  if (type.size() < 3) refuse(fmt::format("its type '{}' is not known", type));
  is_big_endian_ = type[0] == '>';
  kind_ = type[1];
  const char* end = type.data() + type.size();
  const auto read = std::from_chars(type.data() + 2, end, item_bytes_);
  if (read.ec != std::errc{} || read.ptr != end || !is_known(kind_, item_bytes_)) {
    refuse(fmt::format(
        "its type '{}' is not one of a buffer: save floats, integers or booleans of at most 8 B", type));
  }
  if (kind_ == 'f') float_type_ = *element_named(fmt::format("f{}", 8 * item_bytes_));
}

std::string NpyArray::description() const {
  const std::size_t bits = 8 * item_bytes_;
  const std::string shape =
      shape_.size() == 1 ? fmt::format("({},)", shape_[0]) : fmt::format("({})", fmt::join(shape_, ", "));
  const auto of = [&](const std::string& type) { return type + " of shape " + shape; };
  switch (kind_) {
    case 'f':
      return of(fmt::format("float{}", bits));
    case 'i':
      return of(fmt::format("int{}", bits));
    case 'u':
      return of(fmt::format("uint{}", bits));
    case 'b':
      return of("bool");
    default:
      return of(fmt::format("V{}", item_bytes_));
  }
}

void NpyArray::check_type(const Element& element) const {
  switch (element.kind) {
    case Kind::floating:
      // NumPy has no bf16: packages that add it write items of 2 B without a type.
      if (kind_ == 'V' && element.name == "bf16" && item_bytes_ == 2) return;
      // Integers of 2 B may be bits of a bf16 as well as numbers.
      if (kind_ == 'f' || ((kind_ == 'i' || kind_ == 'u') && item_bytes_ > 2)) return;
      refuse(fmt::format("it holds {}, and the elements are {}: save a.astype(numpy.float32)", description(),
                         element.name));
    case Kind::bits:
      if (item_bytes_ == element.bytes) return;
      refuse(fmt::format("it holds {}, and an element of {} has {} B: save items of that size", description(),
                         element.name, element.bytes));
    default:
      if (kind_ == 'i' || kind_ == 'u' || kind_ == 'b') return;
      refuse(fmt::format("it holds {}, and the elements are {}: save a.astype(numpy.{}int{})", description(),
                         element.name, element.kind == Kind::signed_integer ? "" : "u", 8 * element.bytes));
  }
}

std::uint64_t NpyArray::item(std::uint64_t index) const {
  std::string_view bytes = items_.substr(index * item_bytes_, item_bytes_);
  if (!is_big_endian_) return little_endian(bytes);
  std::string reversed(bytes.rbegin(), bytes.rend());
  return little_endian(reversed);
}

std::uint64_t NpyArray::bits(std::uint64_t item, const Element& element) const {
  if (element.kind == Kind::bits || kind_ == 'V') return item;
  const int shift = 64 - 8 * static_cast<int>(item_bytes_);
  const std::int64_t extended = static_cast<std::int64_t>(item << shift) >> shift;
  if (element.kind == Kind::floating) {
    if (kind_ == 'f') return floating_bits(static_cast<double>(number_of(item, float_type_)), element);
    return floating_bits(is_signed() ? static_cast<double>(extended) : static_cast<double>(item), element);
  }
  return bits_of(is_signed() ? Json(extended) : Json(item), element);
}

std::vector<std::byte> NpyArray::elements(const Element& element) const {
  check_type(element);
  std::vector<std::byte> bytes(count_ * element.bytes);
  for (std::uint64_t i = 0; i < count_; ++i) {
    try {
      const std::uint64_t value = bits(item(i), element);
      std::memcpy(bytes.data() + i * element.bytes, &value, element.bytes);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("item {}: {}", i, error.what()));
    }
  }
  return bytes;
}

}  // namespace tilescope
