#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/ptx/syntax.hpp"
#include "sessions/views/points/point_text.hpp"

/// The matrices of a matrix instruction of PTX as they lie in the registers of a warp's lanes.
namespace tilescope {

/// Role of a matrix in the instruction.
enum class FragmentRole : std::uint8_t {
  a,
  b,
  c,
  d,
  /// One of the 8 x 8 matrices of ldmatrix and stmatrix.
  tile,
};

/// Lane and register of an element.
struct FragmentPlace {
  std::uint8_t lane = 0;
  /// Place in the register's 32 bits, from the low end, in elements.
  std::uint8_t part = 0;
  /// Into FragmentView::registers.
  std::uint16_t reg = 0;

  bool operator==(const FragmentPlace&) const = default;
};

/// An element of one of the matrices.
struct FragmentElement {
  /// Into FragmentView::matrices.
  std::size_t matrix = 0;
  int row = 0, column = 0;

  bool operator==(const FragmentElement&) const = default;
};

struct FragmentRegister {
  /// As written: "%r5"; a literal where the instruction has one.
  std::string name;
  /// Into FragmentView::matrices.
  std::size_t matrix = 0;
  /// The one with the same elements, for a wmma whose fragment has more registers than its matrix needs.
  std::optional<std::size_t> repeats;
};

struct FragmentMatrix {
  FragmentRole role = FragmentRole::a;
  /// "A"; "0" to "3" for the matrices of ldmatrix.
  std::string name;
  int rows = 0, columns = 0;
  /// As the instruction names it.
  ptx::Type type = ptx::Type::none;
  /// Type by which value_of() reads the bits: `type`, but for the b16 of ldmatrix.
  ptx::Type value_type = ptx::Type::none;
  /// Elements in a register: 1, 2 or 4.
  int parts = 1;
  /// Written by the instruction, else read.
  bool is_result = false;
  /// Its registers: from this one, into FragmentView::registers.
  std::size_t first_register = 0, registers = 0;
  /// The lane that has the address of row 0; the next lane has row 1's. Only for ldmatrix and stmatrix.
  std::optional<int> address_lane;
  /// By rows. [rows x columns]
  std::vector<FragmentPlace> places;

  const FragmentPlace& at(int row, int column) const {
    return places[static_cast<std::size_t>(row * columns + column)];
  }
};

/// Contents of each lane at one instruction. Layouts follow the PTX ISA ("Matrix fragments for mma"), which
/// leaves wmma's open; `note` says which is shown.
struct FragmentView {
  /// In operand order: D, A, B, C of a product.
  std::vector<FragmentMatrix> matrices;
  /// Registers of all matrices in operand order.
  std::vector<FragmentRegister> registers;
  /// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::string opcode;
  /// The whole instruction in one line.
  std::string instruction;
  /// "D (16 x 8, f32) = A (16 x 16, f16) * B (16 x 8, f16) + C (16 x 8, f32)"
  std::string summary;
  /// Sentences on the layout; "" where the ISA says all.
  std::string note;
  /// A sentence, where there are no matrices to show: another instruction, or a form that is not executed here.
  std::string why_not;

  bool is_product() const { return matrices.size() > 1 && matrices.front().role == FragmentRole::d; }
};

/// From the text of one instruction of PTX, with or without guard and semicolon. Any text may be given; where it is not
/// a matrix instruction, or none that the interpreter executes, `why_not` is a sentence. `halves` is what the b16 of
/// ldmatrix and stmatrix are taken for in values: f16, bf16, or b16 for their bits.
FragmentView fragment_view(std::string_view instruction, ptx::Type halves = ptx::Type::b16);

// --- who holds what ---
const FragmentPlace& place_of(const FragmentView& view, const FragmentElement& element);
int lane_of(const FragmentView& view, const FragmentElement& element);
/// The element at a place; a register that repeats another one has its elements. None for a place that holds none.
std::optional<FragmentElement> element_at(const FragmentView& view, const FragmentPlace& place);
/// By matrix and row.
std::vector<FragmentElement> elements_of_lane(const FragmentView& view, int lane);
std::vector<FragmentElement> elements_of_register(const FragmentView& view, std::size_t reg);

// --- what is marked ---
/// Under the mouse: one of them, or none.
struct FragmentMark {
  std::optional<FragmentElement> element;
  std::optional<int> lane;
  /// Into FragmentView::registers.
  std::optional<std::size_t> reg;

  bool is_set() const { return element || lane || reg; }
  bool operator==(const FragmentMark&) const = default;
};
/// How an element belongs to what is marked.
enum class FragmentLink : std::uint8_t {
  none,
  /// In the row of A or the column of B that the marked element of C or D is made of, or that element's place in the
  /// other of them.
  factor,
  /// In the marked lane, or the lane of the marked element; in the marked register.
  same_holder,
  /// The marked element.
  itself,
};
FragmentLink link_of(const FragmentView& view, const FragmentMark& mark, const FragmentElement& element);
/// Whether the lane, or the register, is marked or holds the marked element.
bool marks_lane(const FragmentView& view, const FragmentMark& mark, int lane);
bool marks_register(const FragmentView& view, const FragmentMark& mark, std::size_t reg);

// --- values ---
/// A register's 32 lanes.
using LaneWords = std::array<std::uint32_t, simt::lane_count>;
/// In the order of FragmentView::registers; none for a register whose value is not known.
using FragmentWords = std::span<const std::optional<LaneWords>>;
/// None where the register has no value. For a tf32, the 19 bits that the tensor cores read; for a b16, its
/// bits.
std::optional<double> value_of(const FragmentView& view, const FragmentElement& element, FragmentWords words);
/// In few letters for a cell: "0.25", "-1.5e-05", "0x3c00" for b16; "" without a value.
std::string value_text(const FragmentView& view, const FragmentElement& element, FragmentWords words);

// --- for tooltips ---
/// "group 3, thread 2": the names of the ISA for lane / 4 and lane % 4.
std::string lane_group_words(int lane);
/// "upper half", "byte 2", "" for a whole register.
std::string part_words(const FragmentMatrix& matrix, int part);
/// "A", "Matrix 0"
std::string matrix_title(const FragmentMatrix& matrix);
/// "16 x 16, f16"
std::string extent_words(const FragmentMatrix& matrix);
std::vector<TextPair> element_lines(const FragmentView& view, const FragmentElement& element,
                                    FragmentWords words);
std::vector<TextPair> lane_lines(const FragmentView& view, int lane);
std::vector<TextPair> register_lines(const FragmentView& view, std::size_t reg);
/// Lines about what is marked; empty for nothing.
std::vector<TextPair> mark_lines(const FragmentView& view, const FragmentMark& mark, FragmentWords words);
/// Explains the outline: for an element of C or D, the elements that it is made of. "" for others.
std::string mark_hint(const FragmentView& view, const FragmentMark& mark);

// --- what is drawn ---
/// Contents of the cells.
enum class FragmentCells : std::uint8_t { places, values };
/// Texts of a matrix's cells: up to two lines in each, the first one the more important.
struct FragmentCellTexts {
  /// By rows: lane and register ("5", "%r5 hi"), or value and lane ("0.25", "5").
  std::vector<std::array<std::string, 2>> lines;
  /// The most letters in a cell's first and in its second line.
  std::array<std::size_t, 2> letters{};
};
/// By matrix.
std::vector<FragmentCellTexts> fragment_cell_texts(const FragmentView& view, FragmentCells cells,
                                                   FragmentWords words);
/// A line for each element: matrix, row, column, lane, register, part, value.
std::string fragments_csv(const FragmentView& view, FragmentWords words);

/// Matrices in columns and rows.
struct FragmentArrangement {
  struct Slot {
    std::size_t column = 0, row = 0;
  };
  /// By matrix.
  std::vector<Slot> slots;
  /// [cells] The widest matrix of each column, the highest of each row.
  std::vector<int> widths, heights;
  /// A row of A ends at its row of D, and a column of B at its column of D.
  bool is_aligned = false;

  int cells_wide() const;
  int cells_high() const;
};
/// By falling width; none without matrices.
std::vector<FragmentArrangement> fragment_arrangements(const FragmentView& view);

}  // namespace tilescope
