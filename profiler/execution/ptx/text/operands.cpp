#include "profiler/execution/ptx/text/operands.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "profiler/execution/ptx/text/constant_expression.hpp"

namespace tilescope::ptx {
namespace {

using Kind = OperandSyntax::Kind;

constexpr int deepest_nesting = 8;

// PTX ISA, "Special Registers"; %pm0 and %envreg0 are followed by numbers.
constexpr std::array<std::string_view, 45> special_names = {"%tid",
                                                            "%ntid",
                                                            "%laneid",
                                                            "%warpid",
                                                            "%nwarpid",
                                                            "%ctaid",
                                                            "%nctaid",
                                                            "%smid",
                                                            "%nsmid",
                                                            "%gridid",
                                                            "%is_explicit_cluster",
                                                            "%clusterid",
                                                            "%nclusterid",
                                                            "%cluster_ctaid",
                                                            "%cluster_nctaid",
                                                            "%cluster_ctarank",
                                                            "%cluster_nctarank",
                                                            "%lanemask_eq",
                                                            "%lanemask_le",
                                                            "%lanemask_lt",
                                                            "%lanemask_ge",
                                                            "%lanemask_gt",
                                                            "%clock",
                                                            "%clock_hi",
                                                            "%clock64",
                                                            "%globaltimer",
                                                            "%globaltimer_lo",
                                                            "%globaltimer_hi",
                                                            "%reserved_smem_offset_begin",
                                                            "%reserved_smem_offset_end",
                                                            "%reserved_smem_offset_cap",
                                                            "%reserved_smem_offset_0",
                                                            "%reserved_smem_offset_1",
                                                            "%total_smem_size",
                                                            "%aggr_smem_size",
                                                            "%dynamic_smem_size",
                                                            "%current_graph_exec",
                                                            "%pm0",
                                                            "%pm1",
                                                            "%pm2",
                                                            "%pm3",
                                                            "%pm4",
                                                            "%pm5",
                                                            "%pm6",
                                                            "%pm7"};

bool is_special(std::string_view name) {
  if (name.starts_with("%envreg")) return true;
  if (name.ends_with("_64")) name.remove_suffix(3);
  return std::find(special_names.begin(), special_names.end(), name) != special_names.end();
}

}  // namespace

OperandSyntax OperandReader::begin(Kind kind) const {
  OperandSyntax operand;
  operand.kind = kind;
  operand.position = reading_.lexer.peek().position;
  operand.name = reading_.lexer.peek().text;
  return operand;
}

std::uint32_t OperandReader::read_guard(bool& negated) {
  Lexer& lexer = reading_.lexer;
  negated = lexer.take('!');
  const Token name = lexer.expect(Token::Kind::identifier, "a predicate after '@'");
  const Meaning* meaning = reading_.names.find(name.text, function_.registers);
  if (meaning == nullptr)
    fail(name.position, quoted(name.text) + " is not declared; a .reg .pred must declare it");
  if (meaning->kind != Meaning::Kind::reg || meaning->type != Type::pred) {
    fail(name.position, quoted(name.text) + " is not a predicate, so it cannot guard an instruction");
  }
  return meaning->index;
}

OperandSyntax OperandReader::read_operand(int nesting, bool is_call) {
  OperandSyntax first = read_single(nesting, is_call);
  if (!reading_.lexer.peek().is('|') || (first.kind != Kind::reg && first.kind != Kind::sink)) return first;
  reading_.lexer.take();
  OperandSyntax pair;
  pair.kind = Kind::pair;
  pair.position = first.position;
  OperandSyntax second = read_single(nesting, false);
  if (second.kind != Kind::reg && second.kind != Kind::sink) {
    fail(second.position, "expected a register after '|', found " + quoted(second.name));
  }
  pair.name = {first.name.data(),
               static_cast<std::size_t>(second.name.data() + second.name.size() - first.name.data())};
  pair.elements.reserve(2);
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(std::move(second));
  return pair;
}

OperandSyntax OperandReader::read_single(int nesting, bool is_call) {
  const Token& token = reading_.lexer.peek();
  switch (token.kind) {
    case Token::Kind::identifier:
      return read_named(nesting);
    case Token::Kind::integer:
    case Token::Kind::real:
      return read_number_operand(false, token.position);
    case Token::Kind::mark:
      break;
    default:
      reading_.lexer.fail_expecting("an operand");
  }
  switch (token.mark) {
    case '{':
      return read_list(nesting, '}');
    case '[':
      return read_address(nesting);
    case '(':
      return is_call ? read_list(nesting, ')') : read_number_operand(false, token.position);
    case '-':
    case '!':
      return read_signed(token.mark);
    case '~':
    case '+':
      return read_number_operand(false, token.position);
    default:
      reading_.lexer.fail_expecting("an operand");
  }
}

OperandSyntax OperandReader::read_list(int nesting, char end) {
  OperandSyntax list = begin(Kind::vector);
  const char* first = reading_.lexer.take().text.data();
  if (nesting == deepest_nesting) fail(list.position, "operands are nested deeper than 8");
  if (!reading_.lexer.take(end)) {
    do {
      list.elements.push_back(read_operand(nesting + 1, false));
    } while (reading_.lexer.take(','));
    reading_.lexer.expect(end, "after the elements of an operand");
  }
  list.name = reading_.lexer.text_since(first);
  return list;
}

// [base+offset], and, of tensor copies, what follows the base after commas.
OperandSyntax OperandReader::read_address(int nesting) {
  Lexer& lexer = reading_.lexer;
  OperandSyntax address = begin(Kind::address);
  const char* first = lexer.take().text.data();
  if (nesting == deepest_nesting) fail(address.position, "operands are nested deeper than 8");
  if (lexer.peek().kind == Token::Kind::identifier && lexer.peek().text != "WARP_SZ") {
    OperandSyntax base = read_named(nesting + 1);
    if (base.kind != Kind::reg && base.kind != Kind::variable) {
      fail(base.position, "expected a register or a variable as an address, found " + quoted(base.name));
    }
    address.offset = base.kind == Kind::variable ? base.offset : read_offset(lexer);
    base.offset = 0;
    address.elements.push_back(std::move(base));
  } else {
    address.offset = static_cast<std::int64_t>(read_constant(lexer).bits);
  }
  while (lexer.take(',')) address.elements.push_back(read_operand(nesting + 1, false));
  lexer.expect(']', "after the address");
  address.name = lexer.text_since(first);
  return address;
}

OperandSyntax OperandReader::read_signed(char sign) {
  const Token token = reading_.lexer.take();
  const Token& next = reading_.lexer.peek();
  if (next.kind == Token::Kind::identifier && next.text != "WARP_SZ") {
    OperandSyntax operand = read_named(1);
    if (operand.kind != Kind::reg) {
      fail(operand.position,
           "expected a register after " + quoted(token.text) + ", found " + quoted(operand.name));
    }
    operand.negated = true;
    operand.position = token.position;
    return operand;
  }
  OperandSyntax operand = read_number_operand(sign == '-', token.position);
  if (sign == '!') {
    if (operand.kind != Kind::integer)
      fail(token.position, "'!' cannot stand before a floating-point number");
    operand.bits = operand.bits == 0 ? 1 : 0;
  }
  operand.name = reading_.lexer.text_since(token.text.data());
  return operand;
}

OperandSyntax OperandReader::read_number_operand(bool is_negative, Position position) {
  OperandSyntax operand = begin(Kind::integer);
  const ConstantNumber number = read_number(reading_.lexer, is_negative);
  operand.position = position;
  operand.name = reading_.lexer.text_since(operand.name.data());
  operand.bits = number.bits;
  if (number.is_real) operand.kind = Kind::real;
  operand.is_single = number.is_single;
  return operand;
}

OperandSyntax OperandReader::read_named(int nesting) {
  if (reading_.lexer.peek().text == "WARP_SZ") {
    return read_number_operand(false, reading_.lexer.peek().position);
  }
  OperandSyntax operand = begin(Kind::sink);
  const Token token = reading_.lexer.take();
  if (token.text == "_") return operand;
  const Meaning* meaning = reading_.names.find(token.text, function_.registers);
  if (meaning != nullptr) return register_or_variable(token, *meaning, nesting);
  if (token.text[0] == '%') {
    if (is_special(token.text)) return read_special(token);
    fail(token.position, "the register " + quoted(token.text) + " is not declared; a .reg must declare it");
  }
  if (nesting > 0) {
    fail(token.position, quoted(token.text) + " is not declared; a register or a variable is expected here");
  }
  operand.kind = Kind::label;
  return operand;
}

// "%tid.x" is one word.
OperandSyntax OperandReader::read_special(const Token& token) {
  OperandSyntax operand;
  operand.kind = Kind::special;
  operand.position = token.position;
  if (reading_.lexer.peek().kind == Token::Kind::dotted) reading_.lexer.take();
  operand.name = reading_.lexer.text_since(token.text.data());
  return operand;
}

// "v", or one component of it: "v.x".
OperandSyntax OperandReader::read_vector(const Token& name, const Meaning& vector) {
  OperandSyntax operand;
  operand.position = name.position;
  operand.name = name.text;
  if (reading_.lexer.peek().kind != Token::Kind::dotted) {
    operand.kind = Kind::vector;
    for (std::uint32_t component = 0; component < vector.count; ++component) {
      OperandSyntax& element = operand.elements.emplace_back();
      element.kind = Kind::reg;
      element.index = vector.index + component;
      element.name = name.text;
      element.position = name.position;
    }
    return operand;
  }
  constexpr std::string_view components = "xyzw", colours = "rgba";
  const Token component = reading_.lexer.take();
  const std::string_view letter = component.text.substr(1);
  const std::size_t index = std::min(components.find(letter), colours.find(letter));
  if (letter.size() != 1 || index >= vector.count) {
    fail(component.position, quoted(component.text) + " is not a component of " + quoted(name.text) +
                                 ", which is a vector of " + std::to_string(vector.count));
  }
  operand.kind = Kind::reg;
  operand.index = vector.index + static_cast<std::uint32_t>(index);
  operand.name = reading_.lexer.text_since(name.text.data());
  return operand;
}

OperandSyntax OperandReader::register_or_variable(const Token& name, const Meaning& meaning, int nesting) {
  if (meaning.kind == Meaning::Kind::vector) return read_vector(name, meaning);
  OperandSyntax operand;
  operand.position = name.position;
  operand.name = name.text;
  operand.index = meaning.index;
  const Token& next = reading_.lexer.peek();
  if (next.kind == Token::Kind::dotted) {
    fail(next.position, quoted(next.text) + " is a component, and " + quoted(name.text) + " is not a vector");
  }
  switch (meaning.kind) {
    case Meaning::Kind::reg:
      operand.kind = Kind::reg;
      // "[%r + 4]" is read by the address reader; ptxas accepts no "-" here.
      if (nesting == 0 && next.is('+')) operand.offset = read_offset(reading_.lexer);
      return operand;
    case Meaning::Kind::function:
      operand.kind = Kind::function;
      return operand;
    case Meaning::Kind::result:
      // Results come after the parameters: see Function::parameters.
      operand.index += static_cast<std::uint32_t>(function_.parameters.size());
      operand.is_parameter = true;
      break;
    case Meaning::Kind::parameter:
      operand.is_parameter = true;
      break;
    case Meaning::Kind::local_variable:
      operand.is_local = true;
      break;
    default:
      break;
  }
  if (next.is('[')) {
    fail_unsupported(next.position, "an array with an index is not executed here; add the offset in bytes");
  }
  operand.kind = Kind::variable;
  operand.offset = read_offset(reading_.lexer);
  return operand;
}

}  // namespace tilescope::ptx
