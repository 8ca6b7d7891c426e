#include "profiler/execution/ptx/text/lexer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>

namespace tilescope::ptx {
namespace {

constexpr std::uint8_t blank = 1, digit = 2, starts_word = 4, in_word = 8;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\v', '\f', '\n'}) classes[static_cast<unsigned char>(c)] = blank;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = digit | in_word;
  for (int c = 0; c < 26; ++c) {
    classes[static_cast<std::size_t>('a' + c)] = starts_word | in_word;
    classes[static_cast<std::size_t>('A' + c)] = starts_word | in_word;
  }
  for (const char c : {'_', '$', '%'}) classes[static_cast<unsigned char>(c)] = starts_word | in_word;
  return classes;
}
constexpr std::array<std::uint8_t, 256> classes = make_classes();

bool is(char c, std::uint8_t character_class) {
  return (classes[static_cast<unsigned char>(c)] & character_class) != 0;
}

// Comment written by kernels/device/probe.cuh: "// tilescope.probe.m %r1, %f1;"
constexpr std::string_view probe_comment = "// tilescope.probe.";

// The value of a digit in any radix up to 16; 16 for none.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

std::string_view without_zeros(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string at_place(Position position, std::string_view message) {
  return "PTX line " + std::to_string(position.line) + ", column " + std::to_string(position.column) + ": " +
         std::string(message);
}

void fail(Position position, std::string_view message) {
  throw PtxError(at_place(position, message), position);
}

void fail_unsupported(Position position, std::string_view message) {
  throw Unsupported(at_place(position, message), position);
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (const char c : word.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  if (word.size() > longest) shown += "...";
  return shown + "'";
}

Lexer::Lexer(std::string_view text) : text_(without_zeros(text)) {
  constexpr std::size_t longest_text = std::size_t{1} << 28;
  if (text_.size() > longest_text) fail({1, 1}, "the text exceeds 256 MiB; give the PTX of one kernel");
  advance();
}

Token Lexer::take() {
  const Token token = token_;
  taken_ = offset_;
  advance();
  return token;
}

bool Lexer::take(char mark) {
  if (!token_.is(mark)) return false;
  taken_ = offset_;
  advance();
  return true;
}

void Lexer::expect(char mark, std::string_view where) {
  if (!take(mark)) fail_expecting("'" + std::string(1, mark) + "' " + std::string(where));
}

Token Lexer::expect(Token::Kind kind, std::string_view what) {
  if (token_.kind != kind) fail_expecting(what);
  return take();
}

std::string_view Lexer::text_since(const char* begin) const {
  const auto from = static_cast<std::size_t>(begin - text_.data());
  return text_.substr(from, taken_ - from);
}

void Lexer::fail_expecting(std::string_view what) const {
  const std::string found = token_.kind == Token::Kind::end ? "the end of the text" : quoted(token_.text);
  fail(token_.position, "expected " + std::string(what) + ", found " + found);
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = at(offset_);
    if (c == '\n') {
      ++line_;
      line_start_ = ++offset_;
    } else if (is(c, blank)) {
      ++offset_;
    } else if (text_.substr(offset_, probe_comment.size()) == probe_comment) {
      offset_ += probe_comment.find_first_not_of("/ ");  // the rest is a statement
      return;
    } else if (c == '/' && at(offset_ + 1) == '/') {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else if (c == '/' && at(offset_ + 1) == '*') {
      const std::size_t end = text_.find("*/", offset_ + 2);
      if (end == std::string_view::npos) {
        begin_token(Token::Kind::end);
        fail(token_.position, "the comment '/*' has no end; close it with '*/'");
      }
      for (std::size_t i = offset_; i < end; ++i) {
        if (text_[i] != '\n') continue;
        ++line_;
        line_start_ = i + 1;
      }
      offset_ = end + 2;
    } else {
      return;
    }
  }
}

void Lexer::begin_token(Token::Kind kind) {
  token_.kind = kind;
  token_.mark = 0;
  token_.position = {line_, static_cast<std::uint32_t>(offset_ - line_start_ + 1)};
}

void Lexer::end_token(std::size_t end) {
  token_.text = text_.substr(offset_, end - offset_);
  offset_ = end;
}

void Lexer::advance() {
  skip_blanks();
  const char c = at(offset_);
  // After a number '%' is the remainder operator; elsewhere it begins a register's name.
  const bool divides = c == '%' && (token_.kind == Token::Kind::integer || token_.is(')'));
  if (is(c, starts_word) && !divides) {
    begin_token(Token::Kind::identifier);
    std::size_t end = offset_ + 1;
    while (is(at(end), in_word)) ++end;
    end_token(end);
  } else if (is(c, digit) || (c == '.' && is(at(offset_ + 1), digit) && token_.kind == Token::Kind::mark)) {
    // ".5" is a number only where an operand may begin; in "tensor.2d" it is part of the opcode.
    begin_token(Token::Kind::integer);
    read_number();
  } else if (c == '.') {
    begin_token(Token::Kind::dotted);
    std::size_t end = offset_ + 1;
    while (is(at(end), in_word) || (at(end) == ':' && at(end + 1) == ':' && is(at(end + 2), in_word))) {
      end += at(end) == ':' ? 2 : 1;
    }
    if (end == offset_ + 1) fail(token_.position, "expected a word after '.'");
    end_token(end);
  } else if (c == '"') {
    begin_token(Token::Kind::string);
    read_string();
  } else if (offset_ >= text_.size()) {
    begin_token(Token::Kind::end);
    end_token(offset_);
  } else {
    begin_token(Token::Kind::mark);
    read_mark();
  }
}

void Lexer::read_mark() {
  constexpr std::string_view marks = "{}()[]<>,;:@!|+-*/%=_?~&^";
  struct Pair {
    std::string_view text;
    char code;
  };
  constexpr std::array pairs = {Pair{"<<", shift_left},    Pair{">>", shift_right}, Pair{"<=", less_equal},
                                Pair{">=", greater_equal}, Pair{"==", equal},       Pair{"!=", not_equal},
                                Pair{"&&", logical_and},   Pair{"||", logical_or}};
  for (const Pair& pair : pairs) {
    if (text_.substr(offset_, 2) != pair.text) continue;
    token_.mark = pair.code;
    end_token(offset_ + 2);
    return;
  }
  token_.mark = text_[offset_];
  end_token(offset_ + 1);
  if (marks.find(token_.mark) == std::string_view::npos) {
    fail(token_.position, "the character " + quoted(token_.text) + " is not of PTX");
  }
}

void Lexer::read_string() {
  std::size_t end = offset_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' && at(end + 1) == '"' ? 2 : 1;
  }
  if (at(end) != '"') fail(token_.position, "the string has no end; close it with '\"'");
  end_token(end + 1);
}

void Lexer::fail_literal(std::size_t end, std::string_view why) {
  while (is(at(end), in_word)) ++end;
  fail(token_.position,
       "the number " + quoted(text_.substr(offset_, end - offset_)) + " " + std::string(why));
}

void Lexer::read_number() {
  token_.is_unsigned = token_.is_single = false;
  const char second = at(offset_ + 1);
  if (at(offset_) == '0' && (second == 'x' || second == 'X')) return read_radix(16, offset_ + 2);
  if (at(offset_) == '0' && (second == 'b' || second == 'B')) return read_radix(2, offset_ + 2);
  if (at(offset_) == '0' && (second == 'f' || second == 'F')) return read_bits_of_real(8);
  if (at(offset_) == '0' && (second == 'd' || second == 'D')) return read_bits_of_real(16);
  std::size_t end = offset_;
  while (is(at(end), digit)) ++end;
  if (at(end) == '.' || at(end) == 'e' || at(end) == 'E') return read_decimal();
  if (at(offset_) == '0' && end > offset_ + 1) return read_radix(8, offset_);
  read_radix(10, offset_);
}

// 0f3F800000: the bits of an IEEE number, all digits of it.
void Lexer::read_bits_of_real(int digits) {
  token_.kind = Token::Kind::real;
  token_.is_single = digits == 8;
  token_.bits = 0;
  std::size_t end = offset_ + 2;
  for (; digit_value(at(end)) < 16; ++end) token_.bits = token_.bits << 4 | digit_value(at(end));
  if (end - offset_ - 2 != static_cast<std::size_t>(digits) || is(at(end), in_word)) {
    fail_literal(end, digits == 8 ? "must have 8 hexadecimal digits" : "must have 16 hexadecimal digits");
  }
  end_token(end);
}

void Lexer::read_radix(int radix, std::size_t begin) {
  token_.bits = 0;
  std::size_t end = begin;
  const auto base = static_cast<std::uint64_t>(radix);
  for (; digit_value(at(end)) < base; ++end) {
    const std::uint64_t value = digit_value(at(end));
    if (token_.bits > (std::numeric_limits<std::uint64_t>::max() - value) / base) {
      fail_literal(end, "does not fit into 64 bits");
    }
    token_.bits = token_.bits * base + value;
  }
  if (end == begin) fail_literal(end, "has no digits");
  token_.is_unsigned = token_.bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (at(end) == 'U') {
    token_.is_unsigned = true;
    ++end;
  }
  if (is(at(end), in_word) && at(end) != '%') fail_literal(end, "has a digit that does not belong to it");
  end_token(end);
}

void Lexer::read_decimal() {
  token_.kind = Token::Kind::real;
  double value = 0;
  const char* begin = text_.data() + offset_;
  const auto [last, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  const auto end = static_cast<std::size_t>(last - text_.data());
  if (error == std::errc::result_out_of_range) fail_literal(end, "is out of the range of f64");
  if (error != std::errc{} || is(at(end), in_word)) fail_literal(end, "is not a number");
  token_.bits = std::bit_cast<std::uint64_t>(value);
  end_token(end);
}

}  // namespace tilescope::ptx
