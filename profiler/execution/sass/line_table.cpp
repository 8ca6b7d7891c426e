#include "profiler/execution/sass/line_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tilescope::sass {
namespace {

// A section that ends too early, or holds what is not known here.
class NotUnderstood : public std::exception {};

class Bytes {
 public:
  explicit Bytes(std::span<const char> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::span<const char> take(std::uint64_t count) {
    if (count > rest_.size()) throw NotUnderstood();
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::uint64_t uleb() { return leb().first; }
  std::int64_t sleb() {
    const auto [value, bits] = leb();
    const bool is_negative = bits < 64 && (value >> (bits - 1) & 1) != 0;
    return static_cast<std::int64_t>(is_negative ? value | ~std::uint64_t{0} << bits : value);
  }
  std::string text() {
    const auto end = std::ranges::find(rest_, '\0');
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const auto taken = take(length + 1);
    return {taken.data(), length};
  }

 private:
  // The number without its sign, and how many bits it has.
  std::pair<std::uint64_t, unsigned> leb() {
    std::uint64_t value = 0;
    for (unsigned bits = 0; bits < 63;) {
      const auto byte = number<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << bits;
      bits += 7;
      if (byte < 0x80) return {value, bits};
    }
    throw NotUnderstood();
  }

  std::span<const char> rest_;
};

enum class Standard : std::uint8_t {
  extended = 0,
  copy = 1,
  advance_pc = 2,
  advance_line = 3,
  set_file = 4,
  set_column = 5,
  negate_statement = 6,
  set_basic_block = 7,
  const_add_pc = 8,
  fixed_advance_pc = 9,
  first_special = 10,
};
enum class Extended : std::uint8_t {
  end_sequence = 1,
  set_address = 2,
  // NVIDIA's, read off beside what nvdisasm prints: the row that the next rows are inlined at, and the name of the
  // function that was.
  inlined_call = 0x90,
  set_function_name = 0x91,
};

class LineProgram {
 public:
  LineTable read(std::span<const char> section) {
    Bytes bytes(section);
    Bytes unit(bytes.take(bytes.number<std::uint32_t>()));
    if (!bytes.empty() || unit.number<std::uint16_t>() != 2) throw NotUnderstood();
    Bytes header(unit.take(unit.number<std::uint32_t>()));
    read_header(header);
    while (!unit.empty()) step(unit);
    const auto is_before = [](const LineRow& a, const LineRow& b) { return a.address < b.address; };
    if (!std::ranges::is_sorted(table_.rows, is_before)) throw NotUnderstood();
    return std::move(table_);
  }

 private:
  void read_header(Bytes& header) {
    instruction_bytes_ = header.number<std::uint8_t>();
    header.number<std::uint8_t>();  // whether rows are statements at first
    const int base = header.number<std::uint8_t>();
    line_base_ = base < 128 ? base : base - 256;
    line_range_ = header.number<std::uint8_t>();
    opcode_base_ = header.number<std::uint8_t>();
    if (line_range_ == 0 || opcode_base_ != static_cast<unsigned>(Standard::first_special))
      throw NotUnderstood();
    header.take(opcode_base_ - 1U);  // the arguments of each opcode
    std::vector<std::string> folders{""};
    for (std::string folder = header.text(); !folder.empty(); folder = header.text())
      folders.push_back(folder + '/');
    for (std::string name = header.text(); !name.empty(); name = header.text()) {
      const std::uint64_t folder = header.uleb();
      header.uleb();  // time
      header.uleb();  // size
      if (folder >= folders.size()) throw NotUnderstood();
      table_.files.push_back(folders[static_cast<std::size_t>(folder)] + name);
    }
  }

  void step(Bytes& unit) {
    const auto opcode = unit.number<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned adjusted = opcode - opcode_base_;
      advance(adjusted / line_range_);
      line_ += static_cast<std::uint64_t>(line_base_ + static_cast<int>(adjusted % line_range_));
      return add_row();
    }
    switch (static_cast<Standard>(opcode)) {
      case Standard::extended:
        return step_extended(unit);
      case Standard::copy:
        return add_row();
      case Standard::advance_pc:
        return advance(unit.uleb());
      case Standard::advance_line:
        line_ += static_cast<std::uint64_t>(unit.sleb());
        return;
      case Standard::set_file:
        file_ = unit.uleb();
        return;
      case Standard::set_column:
        unit.uleb();
        return;
      case Standard::const_add_pc:
        return advance((255U - opcode_base_) / line_range_);
      case Standard::fixed_advance_pc:
        address_ += unit.number<std::uint16_t>();
        return;
      default:
        return;
    }
  }

  void step_extended(Bytes& unit) {
    Bytes arguments(unit.take(unit.uleb()));
    const auto opcode = arguments.number<std::uint8_t>();
    switch (static_cast<Extended>(opcode)) {
      case Extended::end_sequence:
        address_ = 0;
        file_ = 1;
        line_ = 1;
        inlined_at_ = 0;
        return;
      case Extended::set_address:
        address_ = arguments.number<std::uint64_t>();
        return;
      case Extended::inlined_call:
        inlined_at_ = arguments.uleb();
        return;
      case Extended::set_function_name:
        return;
      default:
        throw NotUnderstood();
    }
  }

  void advance(std::uint64_t instructions) { address_ += instructions * instruction_bytes_; }

  void add_row() {
    const bool is_known = file_ <= table_.files.size() && inlined_at_ <= table_.rows.size();
    if (!is_known || line_ > 0xffff'ffff) throw NotUnderstood();
    table_.rows.push_back({address_, static_cast<std::size_t>(file_), static_cast<std::uint32_t>(line_),
                           static_cast<std::size_t>(inlined_at_)});
  }

  LineTable table_;
  unsigned instruction_bytes_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
  std::uint64_t inlined_at_ = 0;
};

}  // namespace

std::optional<LineTable> read_line_table(std::span<const char> section) {
  if (section.empty()) return LineTable{};
  try {
    return LineProgram().read(section);
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace tilescope::sass
