#include "profiler/execution/ptx/text/constant_expression.hpp"

#include <limits>
#include <string>
#include <utility>

namespace tilescope::ptx {
namespace {

constexpr int deepest_nesting = 64;
constexpr std::uint64_t warp_size = 32;
constexpr int loosest = 1;  // the precedence of ||
constexpr int of_products = 10;

// The precedence of a binary operator in C; 0 for none.
int precedence(const Token& token) {
  if (token.kind != Token::Kind::mark) return 0;
  switch (token.mark) {
    case Lexer::logical_or:
      return loosest;
    case Lexer::logical_and:
      return 2;
    case '|':
      return 3;
    case '^':
      return 4;
    case '&':
      return 5;
    case Lexer::equal:
    case Lexer::not_equal:
      return 6;
    case '<':
    case '>':
    case Lexer::less_equal:
    case Lexer::greater_equal:
      return 7;
    case Lexer::shift_left:
    case Lexer::shift_right:
      return 8;
    case '+':
    case '-':
      return 9;
    case '*':
    case '/':
    case '%':
      return of_products;
    default:
      return 0;
  }
}

std::int64_t as_signed(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits);
}

std::uint64_t divide(const Token& op, std::uint64_t left, std::uint64_t right, bool is_unsigned) {
  if (right == 0) fail(op.position, "a constant is divided by zero");
  if (is_unsigned) return op.mark == '/' ? left / right : left % right;
  // The lowest number has no opposite: -left wraps around, as in two's complement.
  if (as_signed(right) == -1) return op.mark == '/' ? 0 - left : 0;
  return static_cast<std::uint64_t>(op.mark == '/' ? as_signed(left) / as_signed(right)
                                                   : as_signed(left) % as_signed(right));
}

std::uint64_t shift(const Token& op, const ConstantInteger& left, std::uint64_t right) {
  if (right > 63) fail(op.position, "a constant is shifted by more than 63 bits");
  if (op.mark == Lexer::shift_left) return left.bits << right;
  if (left.is_unsigned) return left.bits >> right;
  return static_cast<std::uint64_t>(as_signed(left.bits) >> right);
}

bool compare(char op, std::uint64_t left, std::uint64_t right, bool is_unsigned) {
  const bool less = is_unsigned ? left < right : as_signed(left) < as_signed(right);
  switch (op) {
    case '<':
      return less;
    case '>':
      return !less && left != right;
    case Lexer::less_equal:
      return less || left == right;
    case Lexer::greater_equal:
      return !less;
    case Lexer::equal:
      return left == right;
    default:
      return left != right;
  }
}

ConstantInteger apply(const Token& op, const ConstantInteger& left, const ConstantInteger& right) {
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const std::uint64_t a = left.bits;
  const std::uint64_t b = right.bits;
  switch (op.mark) {
    case '+':
      return {a + b, is_unsigned};
    case '-':
      return {a - b, is_unsigned};
    case '*':
      return {a * b, is_unsigned};
    case '/':
    case '%':
      return {divide(op, a, b, is_unsigned), is_unsigned};
    case '&':
      return {a & b, is_unsigned};
    case '|':
      return {a | b, is_unsigned};
    case '^':
      return {a ^ b, is_unsigned};
    case Lexer::shift_left:
    case Lexer::shift_right:
      return {shift(op, left, b), left.is_unsigned};
    case Lexer::logical_and:
      return {a != 0 && b != 0 ? 1u : 0u, false};
    case Lexer::logical_or:
      return {a != 0 || b != 0 ? 1u : 0u, false};
    default:
      return {compare(op.mark, a, b, is_unsigned) ? 1u : 0u, false};
  }
}

class Reader {
 public:
  explicit Reader(Lexer& lexer) : lexer_(lexer) {}
  // For an expression whose first minus has already been read.
  Reader(Lexer& lexer, bool is_negative) : lexer_(lexer), is_negative_(is_negative) {}

  ConstantInteger conditional() {
    enter();
    ConstantInteger value = binary(loosest);
    if (lexer_.take('?')) {
      const ConstantInteger if_true = conditional();
      lexer_.expect(':', "after the second part of '?'");
      const ConstantInteger if_false = conditional();
      const bool is_unsigned = if_true.is_unsigned || if_false.is_unsigned;
      value = {value.bits != 0 ? if_true.bits : if_false.bits, is_unsigned};
    }
    --nesting_;
    return value;
  }

  // Precedence climbing: operators of `least` and tighter.
  ConstantInteger binary(int least) {
    ConstantInteger left = unary();
    for (int found = precedence(lexer_.peek()); found >= least; found = precedence(lexer_.peek())) {
      const Token op = lexer_.take();
      left = apply(op, left, binary(found + 1));
    }
    return left;
  }

 private:
  void enter() {
    if (++nesting_ > deepest_nesting) {
      fail(lexer_.peek().position, "a constant expression is nested deeper than 64");
    }
  }

  ConstantInteger unary() {
    enter();
    const bool is_negative = std::exchange(is_negative_, false);
    const ConstantInteger value = unary_or_primary();
    --nesting_;
    return is_negative ? ConstantInteger{0 - value.bits, value.is_unsigned} : value;
  }

  ConstantInteger unary_or_primary() {
    if (lexer_.take('+')) return unary();
    if (lexer_.take('-')) {
      const ConstantInteger value = unary();
      return {0 - value.bits, value.is_unsigned};
    }
    if (lexer_.take('~')) {
      const ConstantInteger value = unary();
      return {~value.bits, value.is_unsigned};
    }
    if (lexer_.take('!')) return {unary().bits == 0 ? 1u : 0u, false};
    if (lexer_.take('(')) return in_parentheses();
    if (lexer_.peek().kind == Token::Kind::identifier && lexer_.peek().text == "WARP_SZ") {
      lexer_.take();
      return {warp_size, false};
    }
    const Token token = lexer_.expect(Token::Kind::integer, "an integer");
    return {token.bits, token.is_unsigned};
  }

  // (expression), or a cast: (.u64) and (.s64).
  ConstantInteger in_parentheses() {
    if (lexer_.peek().kind == Token::Kind::dotted) {
      const Token cast = lexer_.peek();
      if (cast.text != ".u64" && cast.text != ".s64") lexer_.fail_expecting("'.u64' or '.s64'");
      lexer_.take();
      lexer_.expect(')', "after the type of a cast");
      return {unary().bits, cast.text == ".u64"};
    }
    const ConstantInteger value = conditional();
    lexer_.expect(')', "at the end of a constant expression");
    return value;
  }

  Lexer& lexer_;
  bool is_negative_ = false;
  int nesting_ = 0;
};

}  // namespace

ConstantInteger read_constant(Lexer& lexer) {
  return Reader(lexer).conditional();
}

ConstantNumber read_number(Lexer& lexer, bool is_negative) {
  if (!is_negative && lexer.peek().kind != Token::Kind::integer) is_negative = lexer.take('-');
  if (lexer.peek().kind == Token::Kind::real) {
    const Token real = lexer.take();
    const std::uint64_t sign = real.is_single ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return {is_negative ? real.bits ^ sign : real.bits, false, true, real.is_single};
  }
  const ConstantInteger value = Reader(lexer, is_negative).conditional();
  return {value.bits, value.is_unsigned, false, false};
}

std::int64_t read_offset(Lexer& lexer) {
  std::uint64_t sum = 0;
  while (lexer.peek().is('+') || lexer.peek().is('-')) {
    const bool negative = lexer.take().mark == '-';
    const std::uint64_t term = Reader(lexer).binary(of_products).bits;
    sum = negative ? sum - term : sum + term;
  }
  return as_signed(sum);
}

std::uint64_t read_count(Lexer& lexer, std::uint64_t most, std::string_view what) {
  const Position position = lexer.peek().position;
  const ConstantInteger value = read_constant(lexer);
  if (value.bits > most) {
    const std::string shown =
        value.is_unsigned ? std::to_string(value.bits) : std::to_string(as_signed(value.bits));
    fail(position,
         std::string(what) + " is " + shown + "; it must be a number from 0 to " + std::to_string(most));
  }
  return value.bits;
}

}  // namespace tilescope::ptx
