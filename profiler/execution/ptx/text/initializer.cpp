#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "profiler/execution/ptx/text/constant_expression.hpp"
#include "profiler/execution/ptx/text/declarations.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::uint64_t address_bytes = 8;

class InitializerReader {
 public:
  InitializerReader(Reading& reading, const Shape& shape, Variable& variable)
      : reading_(reading),
        lexer_(reading.lexer),
        shape_(shape),
        variable_(variable),
        position_(variable.position) {
    levels_ = shape.dimensions;
    if (shape.vector > 1) levels_.push_back(shape.vector);
    element_ = static_cast<std::uint64_t>(size_of(shape.type));
    strides_.assign(levels_.size(), element_);
    for (std::size_t level = levels_.size(); level-- > 1;)
      strides_[level - 1] = strides_[level] * levels_[level];
  }

  void read() {
    if (lexer_.take('{')) {
      read_list(0, 0);
    } else {
      read_value(0);
    }
    if (mask_bytes_ != 0) fail_partial_mask();
    if (shape_.has_open_dimension && !strides_.empty() && strides_[0] != 0) {
      variable_.bytes = (variable_.initial.size() + strides_[0] - 1) / strides_[0] * strides_[0];
    }
    reserve(variable_.bytes);
    variable_.initial.resize(variable_.bytes);
    reading_.initial_bytes_left -= variable_.bytes;
  }

 private:
  // The values between braces: sub-arrays in braces of their own, or one after the other without.
  void read_list(std::size_t level, std::uint64_t offset) {
    if (lexer_.take('}')) return;
    do {
      position_ = lexer_.peek().position;
      if (lexer_.take('{')) {
        if (level + 1 >= levels_.size()) fail(position_, "more braces than the array has dimensions");
        read_list(level + 1, offset);
        offset += strides_[level];
      } else {
        read_value(offset);
        offset += element_;
      }
    } while (lexer_.take(','));
    lexer_.expect('}', "after the initial values");
  }

  void reserve(std::uint64_t end) const {
    if (end <= reading_.initial_bytes_left) return;
    fail_unsupported(variable_.position, "the initial values of " + quoted(variable_.name) + " take " +
                                             std::to_string(end) +
                                             " B, most of which the text does not give");
  }

  std::byte* place(std::uint64_t offset, std::uint64_t bytes) {
    if (!shape_.has_open_dimension && offset + bytes > variable_.bytes) {
      fail(position_, quoted(variable_.name) + " has more initial values than its " +
                          std::to_string(variable_.bytes) + " B hold");
    }
    reserve(offset + bytes);
    if (variable_.initial.size() < offset + bytes) variable_.initial.resize(offset + bytes);
    return variable_.initial.data() + offset;
  }

  void read_value(std::uint64_t offset) {
    position_ = lexer_.peek().position;
    if (lexer_.peek().kind == Token::Kind::identifier && lexer_.peek().text != "WARP_SZ") {
      return add_address(offset, read_address(), element_);
    }
    const ConstantNumber number = read_number(lexer_);
    if (lexer_.peek().is('(') && !number.is_real) return read_mask(number.bits, offset);
    if (mask_bytes_ != 0) fail_partial_mask();
    std::byte* target = place(offset, element_);
    const std::uint64_t bits = number.is_real ? real_bits(number) : integer_bits(number);
    // The upper half of a .b128 is sign-extended.
    if (element_ == 16) std::memset(target + 8, static_cast<std::int64_t>(bits) < 0 ? 0xff : 0, 8);
    std::memcpy(target, &bits, std::min(element_, std::uint64_t{8}));
  }

  std::uint64_t real_bits(const ConstantNumber& number) const {
    const double value = number.is_single
                             ? double{std::bit_cast<float>(static_cast<std::uint32_t>(number.bits))}
                             : std::bit_cast<double>(number.bits);
    if (number.is_single && element_ == 4) return number.bits;
    if (shape_.type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (element_ == 8) return shape_.type == Type::f64 ? std::bit_cast<std::uint64_t>(value) : number.bits;
    fail(position_, "a floating-point number cannot initialise a ." + std::string(name_of(shape_.type)));
  }

  std::uint64_t integer_bits(const ConstantNumber& number) const {
    if (!is_floating(shape_.type)) return number.bits;
    const double value = number.is_unsigned ? static_cast<double>(number.bits)
                                            : static_cast<double>(static_cast<std::int64_t>(number.bits));
    if (shape_.type == Type::f64) return std::bit_cast<std::uint64_t>(value);
    if (shape_.type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    fail(position_, "an integer cannot initialise a ." + std::string(name_of(shape_.type)));
  }

  // "x", "x+8", "generic(x)", "generic(x)+8"
  Variable::AddressOf read_address() {
    Token name = lexer_.take();
    Variable::AddressOf address;
    if (name.text == "generic" && lexer_.take('(')) {
      address.generic = true;
      name = lexer_.expect(Token::Kind::identifier, "the name of a variable");
      lexer_.expect(')', "after the name of a variable");
    }
    std::vector<RegisterDeclaration> none;
    const Meaning* meaning = reading_.names.find(name.text, none);
    if (meaning != nullptr && meaning->kind == Meaning::Kind::function) {
      fail_unsupported(name.position,
                       "the address of the function " + quoted(name.text) + " is not executed here");
    }
    if (meaning == nullptr || meaning->kind != Meaning::Kind::module_variable) {
      fail(name.position,
           quoted(name.text) + " is not a variable of the module; declare it before it is used");
    }
    address.variable = meaning->index;
    address.addend = read_offset(lexer_);
    return address;
  }

  void add_address(std::uint64_t offset, Variable::AddressOf address, std::uint64_t bytes) {
    if (mask_bytes_ != 0) fail_partial_mask();
    if (bytes != address_bytes)
      fail_unsupported(position_, "an address in less than 64 bits is not executed here");
    place(offset, bytes);
    address.offset = offset;
    variable_.addresses.push_back(address);
  }

  // 0xFF00(x): byte 1 of the address of x. Eight of them, one after the other, are the address.
  void read_mask(std::uint64_t mask, std::uint64_t offset) {
    lexer_.expect('(', "after a mask");
    if (lexer_.peek().kind != Token::Kind::identifier) lexer_.fail_expecting("the name of a variable");
    Variable::AddressOf address = read_address();
    lexer_.expect(')', "after the name of a variable");
    const bool continues = mask_bytes_ != 0 && address.variable == mask_of_.variable &&
                           address.addend == mask_of_.addend && address.generic == mask_of_.generic &&
                           offset == mask_of_.offset + mask_bytes_;
    if (element_ != 1 || mask != std::uint64_t{0xff} << (8 * mask_bytes_) ||
        (mask_bytes_ != 0 && !continues)) {
      fail_partial_mask();
    }
    place(offset, 1);
    address.offset = offset - mask_bytes_;
    mask_of_ = address;
    if (++mask_bytes_ < address_bytes) return;
    variable_.addresses.push_back(address);
    mask_bytes_ = 0;
  }

  [[noreturn]] void fail_partial_mask() const {
    fail_unsupported(position_,
                     "part of an address as an initial value is not executed here; only all 8 bytes are");
  }

  Reading& reading_;
  Lexer& lexer_;
  const Shape& shape_;
  Variable& variable_;
  Position position_;
  std::vector<std::uint64_t> levels_;   // elements of each dimension, outermost first
  std::vector<std::uint64_t> strides_;  // [B]
  std::uint64_t element_ = 1;           // [B]
  Variable::AddressOf mask_of_;
  std::uint64_t mask_bytes_ = 0;  // of the address that is being given byte by byte
};

}  // namespace

void read_initializer(Reading& reading, const Shape& shape, Variable& variable) {
  InitializerReader(reading, shape, variable).read();
}

}  // namespace tilescope::ptx
