#include "profiler/views/step/fragments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/execution/ptx/instructions/matrix/mma_form.hpp"
#include "profiler/execution/ptx/instructions/matrix/wmma_fragment.hpp"
#include "profiler/execution/ptx/text/lexer.hpp"

namespace tilescope {

namespace {

using ptx::Type;
using ptx::WmmaMatrix;

/// An instruction as its words and the texts of its operands.
struct InstructionWords {
  std::vector<std::string> words;
  struct Operand {
    bool is_address = false;
    /// One for an operand that is not a list.
    std::vector<std::string> elements;
  };
  std::vector<Operand> operands;

  bool has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
  std::vector<Type> types() const {
    std::vector<Type> types;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Type type = ptx::type_named(words[i]);
      if (type != Type::none) types.push_back(type);
    }
    return types;
  }
};

InstructionWords::Operand read_operand(ptx::Lexer& lexer) {
  InstructionWords::Operand operand;
  const bool is_list = lexer.take('{');
  operand.is_address = !is_list && lexer.take('[');
  operand.elements.emplace_back();
  const auto is_end = [&] {
    const ptx::Token& token = lexer.peek();
    if (token.kind == ptx::Token::Kind::end) return true;
    if (is_list) return token.is('}');
    return operand.is_address ? token.is(']') : token.is(',') || token.is(';');
  };
  while (!is_end()) {
    if (is_list && lexer.take(',')) {
      operand.elements.emplace_back();
    } else {
      operand.elements.back() += lexer.take().text;
    }
  }
  if (is_list) lexer.expect('}', "after the registers");
  if (operand.is_address) lexer.expect(']', "after the address");
  return operand;
}

/// Throws PtxError for text that is not an instruction.
InstructionWords read_instruction(std::string_view text) {
  InstructionWords instruction;
  ptx::Lexer lexer(text);
  if (lexer.take('@')) {
    lexer.take('!');
    lexer.take();
  }
  instruction.words.emplace_back(lexer.expect(ptx::Token::Kind::identifier, "an instruction").text);
  while (lexer.peek().kind == ptx::Token::Kind::dotted)
    instruction.words.emplace_back(lexer.take().text.substr(1));
  while (lexer.peek().kind != ptx::Token::Kind::end && !lexer.peek().is(';')) {
    instruction.operands.push_back(read_operand(lexer));
    if (!lexer.take(',')) break;
  }
  return instruction;
}

/// Blanks, line ends and comments as one blank each.
std::string one_line(std::string_view text) {
  std::string line;
  bool is_blank = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      is_blank = true;
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size() - 2) + 1;
      is_blank = true;
    } else if (static_cast<unsigned char>(text[i]) <= ' ') {
      is_blank = true;
    } else {
      if (std::exchange(is_blank, false) && !line.empty()) line += ' ';
      line += text[i];
    }
  }
  return line;
}

/// How a fragment lies in its registers: see tiles-inl.hpp. A tile's row is lane / 4, and lane % 4 counts groups of the
/// row's elements that follow each other in the register, then in the next one.
struct FragmentLayout {
  WmmaMatrix matrix = WmmaMatrix::a;
  /// Size of the matrix, for B of its transpose.
  int rows = 0, columns = 0;
  int tile_columns = 8;
  int registers_of_tile = 1;
};

bool is_whole_register(Type type) {
  return ptx::size_of(type) == 4;
}

bool is_matrix_opcode(std::string_view name) {
  return name == "mma" || name == "wmma" || name == "ldmatrix" || name == "stmatrix";
}

class Builder {
 public:
  Builder(std::string_view text, Type halves) : text_(text), halves_(halves) {}
  FragmentView build();

 private:
  void build_mma();
  void build_wmma();
  void build_wmma_product();
  void build_wmma_access(bool is_store);
  void build_tiles(bool is_store);
  FragmentMatrix& add(FragmentRole role, std::size_t operand, Type type, std::size_t registers);
  void add_fragment(FragmentRole role, std::size_t operand, Type type, const FragmentLayout& layout,
                    std::size_t registers);
  void add_wmma(FragmentRole role, std::size_t operand, const ptx::WmmaFragment& fragment);
  [[noreturn]] static void refuse(const std::string& why) { throw ptx::Unsupported(why, {}); }

  std::string_view text_;
  Type halves_;
  InstructionWords instruction_;
  FragmentView view_;
};

FragmentRole role_of_operand(std::size_t operand) {
  constexpr FragmentRole roles[] = {FragmentRole::d, FragmentRole::a, FragmentRole::b, FragmentRole::c};
  return roles[operand];
}

/// Takes the operand's registers; their number must match the fragment.
FragmentMatrix& Builder::add(FragmentRole role, std::size_t operand, Type type, std::size_t registers) {
  if (operand >= instruction_.operands.size()) refuse("The instruction lacks an operand.");
  const auto& names = instruction_.operands[operand].elements;
  FragmentMatrix matrix;
  matrix.role = role;
  matrix.type = matrix.value_type = type;
  matrix.parts = 4 / std::max(ptx::size_of(type), 1);
  matrix.first_register = view_.registers.size();
  matrix.registers = registers;
  if (role == FragmentRole::tile) {
    // One register of the list belongs to each matrix.
    view_.registers.push_back({names[view_.registers.size()], view_.matrices.size(), {}});
  } else {
    if (names.size() != registers) refuse("The number of registers does not match the fragment.");
    constexpr std::string_view role_names = "ABCD";
    matrix.name = role_names[static_cast<std::size_t>(role)];
    for (const std::string& name : names) view_.registers.push_back({name, view_.matrices.size(), {}});
  }
  return view_.matrices.emplace_back(std::move(matrix));
}

void Builder::add_fragment(FragmentRole role, std::size_t operand, Type type, const FragmentLayout& layout,
                           std::size_t registers) {
  FragmentMatrix& matrix = add(role, operand, type, registers);
  const bool is_turned = layout.matrix == WmmaMatrix::b;
  matrix.rows = is_turned ? layout.columns : layout.rows;
  matrix.columns = is_turned ? layout.rows : layout.columns;
  matrix.is_result = role == FragmentRole::d;
  matrix.places.resize(static_cast<std::size_t>(matrix.rows * matrix.columns));
  const ptx::FragmentTiles tiles =
      ptx::fragment_tiles(layout.matrix, layout.rows, layout.columns, layout.tile_columns);
  const int of_lane = layout.tile_columns / 4;
  for (int t = 0; t < tiles.count; ++t) {
    const ptx::WmmaTile tile = tiles.at[static_cast<std::size_t>(t)];
    for (int lane = 0; lane < simt::lane_count; ++lane) {
      for (int e = 0; e < of_lane; ++e) {
        int row = tile.row + lane / 4, column = tile.column + lane % 4 * of_lane + e;
        if (is_turned) std::swap(row, column);
        const std::size_t reg =
            matrix.first_register + static_cast<std::size_t>(t * layout.registers_of_tile + e / matrix.parts);
        matrix.places[static_cast<std::size_t>(row * matrix.columns + column)] = {
            static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(e % matrix.parts),
            static_cast<std::uint16_t>(reg)};
      }
    }
  }
  const auto distinct = static_cast<std::size_t>(tiles.count * layout.registers_of_tile);
  for (std::size_t r = distinct; r < registers; ++r)
    view_.registers[matrix.first_register + r].repeats = matrix.first_register + r % distinct;
}

void Builder::build_mma() {
  ptx::MmaForm form;
  for (const int depth : {4, 8, 16, 32}) {
    if (instruction_.has(fmt::format("m16n8k{}", depth))) form.depth = depth;
  }
  if (form.depth == 0)
    refuse("Of mma the interpreter executes the shapes m16n8k4, m16n8k8, m16n8k16 and m16n8k32.");
  if (instruction_.has("sp") || !instruction_.has("row") || !instruction_.has("col"))
    refuse("Of mma the interpreter executes dense products of A by rows and B by columns.");
  const std::vector<Type> types = instruction_.types();
  if (types.size() != 4) refuse("An mma names the types of D, A, B and C.");
  form.d = types[0], form.a = types[1], form.b = types[2], form.c = types[3];
  form.saturates = instruction_.has("satfinite");
  if (!form.exists()) refuse("The interpreter does not execute this combination of shape and types.");
  const int columns = form.tile_columns();
  const auto tiles = static_cast<std::size_t>(form.depth / columns);
  const int of_sum = is_whole_register(form.d) ? 2 : 1;
  const FragmentLayout sum{WmmaMatrix::accumulator, 16, 8, 8, of_sum};
  add_fragment(FragmentRole::d, 0, form.d, sum, static_cast<std::size_t>(2 * of_sum));
  add_fragment(FragmentRole::a, 1, form.a, {WmmaMatrix::a, 16, form.depth, columns, 1}, 2 * tiles);
  add_fragment(FragmentRole::b, 2, form.b, {WmmaMatrix::b, 8, form.depth, columns, 1}, tiles);
  add_fragment(FragmentRole::c, 3, form.c, sum, static_cast<std::size_t>(2 * of_sum));
}

void Builder::add_wmma(FragmentRole role, std::size_t operand, const ptx::WmmaFragment& fragment) {
  const FragmentLayout layout{fragment.matrix, fragment.rows(), fragment.columns(), fragment.tile_columns(),
                              fragment.registers_of_tile()};
  add_fragment(role, operand, fragment.type, layout, static_cast<std::size_t>(fragment.registers()));
}

std::uint8_t wmma_shape(const InstructionWords& instruction) {
  std::size_t shape = 0;
  while (shape < ptx::wmma_shape_names.size() && !instruction.has(ptx::wmma_shape_names[shape])) ++shape;
  return static_cast<std::uint8_t>(shape);
}

void Builder::build_wmma() {
  const bool is_load = instruction_.has("load"), is_store = instruction_.has("store");
  if (wmma_shape(instruction_) >= ptx::wmma_shapes.size())
    refuse("Of wmma the interpreter executes the shapes m16n16k16, m32n8k16, m8n32k16 and m16n16k8.");
  const auto is_order = [](std::string_view word) { return word == "row" || word == "col"; };
  if (std::ranges::count_if(instruction_.words, is_order) != (is_load || is_store ? 1 : 2))
    refuse("A wmma names .row or .col for each of its matrices in memory, a wmma.mma for A and B.");
  if (is_load || is_store) {
    build_wmma_access(is_store);
  } else {
    build_wmma_product();
  }
  view_.note =
      "The PTX ISA leaves the layout of wmma fragments open. Shown is the one with which the interpreter "
      "executes them: the layout of the mma instructions that a wmma becomes on sm_80 and later.";
  const auto repeated =
      std::ranges::find_if(view_.registers, [](const auto& r) { return r.repeats.has_value(); });
  if (repeated != view_.registers.end())
    view_.note += " A fragment with more registers than its matrix needs holds the matrix several times.";
}

void Builder::build_wmma_product() {
  const std::uint8_t shape = wmma_shape(instruction_);
  const auto types = ptx::wmma_product(shape, instruction_.types());
  if (!instruction_.has("mma") || instruction_.has("satfinite") || !types)
    refuse("The interpreter does not execute this combination of shape and types.");
  const Type of_operand[] = {types->d, types->factor, types->factor, types->c};
  constexpr WmmaMatrix matrices[] = {WmmaMatrix::accumulator, WmmaMatrix::a, WmmaMatrix::b,
                                     WmmaMatrix::accumulator};
  for (std::size_t i = 0; i < 4; ++i) add_wmma(role_of_operand(i), i, {matrices[i], of_operand[i], shape});
}

void Builder::build_wmma_access(bool is_store) {
  const std::vector<Type> types = instruction_.types();
  const bool is_a = instruction_.has("a"), is_b = instruction_.has("b");
  if (types.size() != 1 || !(is_store ? instruction_.has("d") : is_a || is_b || instruction_.has("c")))
    refuse("A wmma.load names a, b or c and a type, a wmma.store d and a type.");
  const WmmaMatrix matrix = is_a ? WmmaMatrix::a : is_b ? WmmaMatrix::b : WmmaMatrix::accumulator;
  const ptx::WmmaFragment fragment{matrix, types.front(), wmma_shape(instruction_)};
  if (!fragment.exists()) refuse("The interpreter does not execute this combination of shape and type.");
  const FragmentRole role = is_store ? FragmentRole::d
                            : is_a   ? FragmentRole::a
                            : is_b   ? FragmentRole::b
                                     : FragmentRole::c;
  add_wmma(role, is_store ? 1 : 0, fragment);
  view_.matrices.front().is_result = !is_store;
}

void Builder::build_tiles(bool is_store) {
  const std::size_t operand = is_store ? 1 : 0;
  const std::size_t count = instruction_.has("x4")   ? 4
                            : instruction_.has("x2") ? 2
                            : instruction_.has("x1") ? 1
                                                     : 0;
  const bool is_turned = instruction_.has("trans");
  if (!instruction_.has("m8n8") || !instruction_.has("b16") || count == 0) {
    refuse(fmt::format("Of {} the interpreter executes 1, 2 or 4 matrices of m8n8 and b16.",
                       instruction_.words.front()));
  }
  if (operand >= instruction_.operands.size() || instruction_.operands[operand].elements.size() != count)
    refuse("The number of registers does not match the matrices.");
  for (std::size_t m = 0; m < count; ++m) {
    FragmentMatrix& matrix = add(FragmentRole::tile, operand, Type::b16, 1);
    matrix.name = std::to_string(m);
    matrix.value_type = halves_;
    matrix.is_result = !is_store;
    matrix.address_lane = static_cast<int>(8 * m);
    matrix.rows = matrix.columns = 8;
    matrix.places.resize(64);
    for (int lane = 0; lane < simt::lane_count; ++lane) {
      for (int part = 0; part < 2; ++part) {
        int row = lane / 4, column = lane % 4 * 2 + part;
        if (is_turned) std::swap(row, column);
        matrix.places[static_cast<std::size_t>(8 * row + column)] = {
            static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(part), static_cast<std::uint16_t>(m)};
      }
    }
  }
  view_.note = "Rows lie in shared memory: row r of matrix i is at the address of lane 8i + r.";
  if (is_turned) view_.note += " With .trans a lane holds two elements of a column.";
}

std::string summary_of(const FragmentView& view, bool is_store) {
  const auto words = [](const FragmentMatrix& matrix) {
    return fmt::format("{} ({})", matrix.name, extent_words(matrix));
  };
  const auto& matrices = view.matrices;
  if (view.is_product()) {
    return fmt::format("{} = {} * {} + {}", words(matrices[0]), words(matrices[1]), words(matrices[2]),
                       words(matrices[3]));
  }
  if (matrices.front().role != FragmentRole::tile)
    return words(matrices.front()) + (is_store ? ", to memory" : ", from memory");
  return fmt::format("{} {} of 8 x 8 b16, {} shared memory", matrices.size(),
                     matrices.size() == 1 ? "matrix" : "matrices", is_store ? "to" : "from");
}

FragmentView Builder::build() {
  view_.instruction = one_line(text_);
  try {
    instruction_ = read_instruction(text_);
    for (const std::string& word : instruction_.words)
      view_.opcode += (view_.opcode.empty() ? "" : ".") + word;
    const std::string& name = instruction_.words.front();
    const bool is_store = name == "stmatrix" || instruction_.has("store");
    const bool is_whole_warp = instruction_.has("sync") && instruction_.has("aligned");
    if (is_matrix_opcode(name) && !is_whole_warp) {
      refuse(fmt::format("The interpreter executes {} with .sync.aligned.", name));
    } else if (name == "mma") {
      build_mma();
    } else if (name == "wmma") {
      build_wmma();
    } else if (name == "ldmatrix" || name == "stmatrix") {
      build_tiles(is_store);
    } else {
      refuse(name +
             " is not a matrix instruction: it has no fragments. The fragments of mma, wmma, ldmatrix and "
             "stmatrix are shown.");
    }
    view_.summary = summary_of(view_, is_store);
  } catch (const ptx::Unsupported& error) {
    view_.matrices.clear();
    view_.registers.clear();
    view_.why_not = error.what();
  } catch (const ptx::PtxError&) {
    view_.matrices.clear();
    view_.registers.clear();
    view_.why_not = "This is not a PTX instruction.";
  }
  return std::move(view_);
}

}  // namespace

FragmentView fragment_view(std::string_view instruction, Type halves) {
  return Builder(instruction, halves).build();
}

const FragmentPlace& place_of(const FragmentView& view, const FragmentElement& element) {
  return view.matrices[element.matrix].at(element.row, element.column);
}

int lane_of(const FragmentView& view, const FragmentElement& element) {
  return place_of(view, element).lane;
}

}  // namespace tilescope
