#include "profiler/execution/ptx/text/declarations.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "profiler/execution/ptx/text/constant_expression.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 36;  // [B]
constexpr std::uint64_t largest_alignment = 1 << 16;                // [B]
// PTX ISA, "Kernel Function Parameters": 32,764 B since 8.1.
constexpr std::uint64_t most_parameter_bytes = 32764;

std::uint32_t read_alignment(Lexer& lexer) {
  const Position position = lexer.peek().position;
  const std::uint64_t align = read_count(lexer, largest_alignment, "an alignment");
  if (!std::has_single_bit(align)) fail(position, "an alignment must be a power of two");
  return static_cast<std::uint32_t>(align);
}

void skip_parentheses(Lexer& lexer) {
  lexer.expect('(', "after '.attribute'");
  for (std::uint32_t open = 1; open > 0;) {
    if (lexer.peek().kind == Token::Kind::end) lexer.fail_expecting("')' at the end of '.attribute'");
    const Token token = lexer.take();
    if (token.is('(')) ++open;
    if (token.is(')')) --open;
  }
}

bool is_texture(std::string_view word) {
  return word == "texref" || word == "samplerref" || word == "surfref";
}

// The words before a variable's name: ".align 16 .v4 .f32", of a parameter also ".u64 .ptr .global .align 8".
Shape read_type(Lexer& lexer) {
  Shape shape;
  std::uint32_t align = 0;
  bool is_pointer = false;
  while (lexer.peek().kind == Token::Kind::dotted) {
    const Token token = lexer.take();
    const std::string_view word = token.text.substr(1);
    if (word == "align") {
      const std::uint32_t given = read_alignment(lexer);
      if (!is_pointer) align = given;
    } else if (word == "attribute") {
      skip_parentheses(lexer);
    } else if (word == "ptr") {
      is_pointer = true;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      shape.vector = static_cast<std::uint32_t>(word[1] - '0');
    } else if (is_texture(word)) {
      fail_unsupported(token.position, quoted(token.text) + ": textures and surfaces are not executed here");
    } else if (const Type type = type_named(word); type != Type::none && shape.type == Type::none) {
      shape.type = type;
    } else if (!(is_pointer && (space_of(token.text) || word == "generic"))) {
      fail_unsupported(token.position, quoted(token.text) + " is not known in a declaration");
    }
  }
  if (shape.type == Type::none) lexer.fail_expecting("a type, such as '.b32'");
  shape.align =
      std::max({align, 1u, align != 0 ? 0u : static_cast<std::uint32_t>(size_of(shape.type)) * shape.vector});
  return shape;
}

void read_dimensions(Lexer& lexer, Shape& shape) {
  shape.dimensions.clear();
  shape.has_open_dimension = false;
  while (lexer.take('[')) {
    if (lexer.peek().is(']')) {
      if (!shape.dimensions.empty()) lexer.fail_expecting("a size: only the first may be left out");
      shape.has_open_dimension = true;
      shape.dimensions.push_back(0);
    } else {
      shape.dimensions.push_back(read_count(lexer, largest_variable, "the size of an array"));
    }
    lexer.expect(']', "after the size of an array");
  }
}

Token read_name(Lexer& lexer, std::string_view what) {
  return lexer.expect(Token::Kind::identifier, what);
}

// A register, or the components of a vector.
void declare_register(Reading& reading, Function& function, const Token& name, const Shape& shape) {
  const auto index = static_cast<std::uint32_t>(function.registers.size());
  if (shape.vector > 1 && shape.type == Type::pred) fail(name.position, "a predicate cannot be a vector");
  const auto kind = shape.vector == 1 ? Meaning::Kind::reg : Meaning::Kind::vector;
  reading.names.declare(name.text, {kind, shape.type, index, name.position, 0, shape.vector});
  function.registers.insert(function.registers.end(), shape.vector, {name.text, no_index, shape.type});
}

// A module variable whose name is local to the function.
void add_static_variable(Reading& reading, Variable&& variable) {
  const auto index = static_cast<std::uint32_t>(reading.module.variables.size());
  reading.names.declare(variable.name,
                        {Meaning::Kind::module_variable, variable.type, index, variable.position});
  reading.module.variables.push_back(std::move(variable));
}

// A variable of the module may be declared as extern before and after it is defined.
void add_module_variable(Reading& reading, Variable&& variable) {
  Module& module = reading.module;
  std::vector<RegisterDeclaration> none;
  const Meaning* known = reading.names.find(variable.name, none);
  if (known != nullptr && known->kind == Meaning::Kind::module_variable &&
      (variable.is_extern || module.variables[known->index].is_extern)) {
    if (!variable.is_extern) module.variables[known->index] = std::move(variable);
    return;
  }
  add_static_variable(reading, std::move(variable));
}

void add_local_variable(Reading& reading, Function& function, Variable&& variable) {
  const auto index = static_cast<std::uint32_t>(function.variables.size());
  reading.names.declare(variable.name,
                        {Meaning::Kind::local_variable, variable.type, index, variable.position});
  function.variables.push_back(std::move(variable));
}

Parameter read_parameter(Reading& reading, Function& function, std::uint32_t index, Meaning::Kind kind) {
  Lexer& lexer = reading.lexer;
  const Token space = lexer.expect(Token::Kind::dotted, "'.param'");
  if (space.text != ".param" && space.text != ".reg") {
    fail(space.position, "expected '.param' or '.reg', found " + quoted(space.text));
  }
  Shape shape = read_type(lexer);
  const Token name = read_name(lexer, "the name of a parameter");
  read_dimensions(lexer, shape);
  Parameter parameter{name.text, shape.type, shape.align, shape.bytes(name.position), 0, {}};
  if (space.text == ".reg") {
    for (std::uint32_t component = 0; component < shape.vector; ++component) {
      parameter.registers.push_back(static_cast<std::uint32_t>(function.registers.size()) + component);
    }
    declare_register(reading, function, name, shape);
  } else if (name.text != "_") {
    reading.names.declare(name.text, {kind, shape.type, index, name.position});
  }
  return parameter;
}

}  // namespace

std::uint64_t Shape::bytes(Position position) const {
  std::uint64_t total = static_cast<std::uint64_t>(size_of(type)) * vector;
  bool is_empty = false;
  for (const std::uint64_t dimension : dimensions) {
    if (dimension == 0) {
      is_empty = true;
      continue;
    }
    if (total > largest_variable / dimension) {
      fail(position, "an array exceeds " + std::to_string(largest_variable) + " B; make it smaller");
    }
    total *= dimension;
  }
  return is_empty ? 0 : total;
}

std::optional<Space> space_of(std::string_view dotted) {
  if (dotted == ".global") return Space::global;
  if (dotted == ".shared") return Space::shared;
  if (dotted == ".local") return Space::local;
  if (dotted == ".param") return Space::param;
  if (dotted == ".const") return Space::constant;
  return std::nullopt;
}

void read_registers(Reading& reading, Function& function) {
  Lexer& lexer = reading.lexer;
  const Shape shape = read_type(lexer);
  do {
    const Token name = read_name(lexer, "the name of a register");
    if (!lexer.take('<')) {
      declare_register(reading, function, name, shape);
      continue;
    }
    const Token count = lexer.expect(Token::Kind::integer, "the number of registers");
    if (count.bits >= no_index)
      fail(count.position, "a range of " + quoted(count.text) + " registers is too large");
    reading.names.declare_range(name.text, shape.type, static_cast<std::uint32_t>(count.bits), shape.vector,
                                name.position);
    lexer.expect('>', "after the number of registers");
  } while (lexer.take(','));
  lexer.expect(';', "after the registers");
}

void read_variables(Reading& reading, Space space, bool is_extern, Function* function) {
  Lexer& lexer = reading.lexer;
  Shape shape = read_type(lexer);
  do {
    const Token name = read_name(lexer, "the name of a variable");
    if (size_of(shape.type) == 0) fail(name.position, "a variable cannot be a predicate; use a register");
    read_dimensions(lexer, shape);
    Variable variable;
    variable.name = name.text;
    variable.space = space;
    variable.type = shape.type;
    variable.align = shape.align;
    variable.bytes = shape.bytes(name.position);
    variable.is_extern = is_extern;
    variable.position = name.position;
    if (lexer.take('=')) read_initializer(reading, shape, variable);
    if (shape.has_open_dimension && variable.initial.empty() && !is_extern) {
      fail(name.position, "the array " + quoted(name.text) + " has neither a size nor initial values");
    }
    if (function != nullptr && (space == Space::global || space == Space::constant)) {
      add_static_variable(reading, std::move(variable));
    } else if (function != nullptr) {
      add_local_variable(reading, *function, std::move(variable));
    } else {
      add_module_variable(reading, std::move(variable));
    }
  } while (lexer.take(','));
  lexer.expect(';', "after the declaration");
}

void read_parameters(Reading& reading, Function& function, std::vector<Parameter>& parameters,
                     Meaning::Kind kind) {
  Lexer& lexer = reading.lexer;
  lexer.expect('(', "before the parameters");
  if (lexer.take(')')) return;
  std::uint64_t end = 0;
  do {
    const Position position = lexer.peek().position;
    Parameter parameter =
        read_parameter(reading, function, static_cast<std::uint32_t>(parameters.size()), kind);
    parameter.offset = (end + parameter.align - 1) / parameter.align * parameter.align;
    end = parameter.offset + parameter.bytes;
    if (end > most_parameter_bytes) {
      fail(position, "the parameters exceed " + std::to_string(most_parameter_bytes) + " B");
    }
    parameters.push_back(parameter);
  } while (lexer.take(','));
  lexer.expect(')', "after the parameters");
}

}  // namespace tilescope::ptx
