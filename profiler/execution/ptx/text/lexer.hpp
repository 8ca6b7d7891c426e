#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// A word of PTX. `text` points into the text that is read.
struct Token {
  enum class Kind : std::uint8_t {
    /// of the text
    end,
    /// %r1, $L__BB0_3, ld, _
    identifier,
    /// .reg, .shared::cta, .2d
    dotted,
    /// `bits`; `is_unsigned` by its suffix or its size
    integer,
    /// `bits` of a float (`is_single`) or a double
    real,
    /// "..." with its quotes
    string,
    /// punctuation: `mark` is its character, or one of Lexer's codes for two characters
    mark,
  };
  Kind kind = Kind::end;
  char mark = 0;
  bool is_unsigned = false;
  bool is_single = false;
  Position position;
  std::uint64_t bits = 0;
  std::string_view text;

  bool is(char character) const { return kind == Kind::mark && mark == character; }
};

/// Splits PTX into words in one pass over the text, with a lookahead of one. Skips white space, the zeros that NVRTC
/// leaves at the end of the text, and comments other than probes, which are read as statements.
class Lexer {
 public:
  // Operators of two characters in constant expressions.
  static constexpr char shift_left = 1, shift_right = 2, less_equal = 3, greater_equal = 4, equal = 5,
                        not_equal = 6, logical_and = 7, logical_or = 8;

  explicit Lexer(std::string_view text);

  const Token& peek() const { return token_; }
  Token take();
  /// Takes the next word if it is this mark; else returns false.
  bool take(char mark);
  /// Takes this mark. Anything else is an error, which says where the mark belongs: "after the operands".
  void expect(char mark, std::string_view where);
  Token expect(Token::Kind kind, std::string_view what);
  /// The text from the start of a token to the end of the last token taken.
  std::string_view text_since(const char* begin) const;

  /// Throws PtxError: "PTX line 3, column 7: expected X, found 'Y'".
  [[noreturn]] void fail_expecting(std::string_view what) const;

 private:
  void skip_blanks();
  void advance();
  void read_number();
  void read_bits_of_real(int digits);
  void read_radix(int radix, std::size_t begin);
  void read_decimal();
  void read_string();
  void read_mark();
  void begin_token(Token::Kind kind);
  void end_token(std::size_t end);
  char at(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  [[noreturn]] void fail_literal(std::size_t end, std::string_view why);

  std::string_view text_;
  std::size_t offset_ = 0;  // behind token_
  std::size_t taken_ = 0;   // behind the token before it
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  Token token_;
};

/// "PTX line 3, column 7: message"
std::string at_place(Position position, std::string_view message);
[[noreturn]] void fail(Position position, std::string_view message);
[[noreturn]] void fail_unsupported(Position position, std::string_view message);
/// A word in quotes, shortened when it is long and with its unprintable characters replaced.
std::string quoted(std::string_view word);

}  // namespace tilescope::ptx
