// Which lane holds which element, against what the interpreter does with it: registers are filled, and results read, at
// the places that the view says.
#include "profiler/views/step/fragments.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "profiler/views/tests/fragment_run.hpp"

namespace tilescope {
namespace {

using ptx::Matrix;
using ptx::MemorySnippet;
using ptx::Type;
using test_support::list;
using test_support::pack;
using test_support::registers_after;
using test_support::snippet_of;
using test_support::Words;

void expect_values(const FragmentView& view, std::size_t m, const Matrix& values, const Words& words) {
  for (int row = 0; row < values.rows; ++row) {
    for (int column = 0; column < values.columns; ++column) {
      ASSERT_EQ(value_of(view, {m, row, column}, words), values.at(row, column))
          << view.opcode << " row " << row << " column " << column;
    }
  }
}

/// Every place of a matrix is used once, and element_at is the inverse of place_of.
void expect_inverse(const FragmentView& view) {
  for (std::size_t m = 0; m < view.matrices.size(); ++m) {
    const FragmentMatrix& matrix = view.matrices[m];
    std::set<std::tuple<int, int, int>> used;
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        const FragmentElement element{m, row, column};
        const FragmentPlace& place = place_of(view, element);
        ASSERT_EQ(element_at(view, place), element) << view.opcode;
        ASSERT_EQ(view.registers.at(place.reg).matrix, m);
        ASSERT_LT(place.part, matrix.parts);
        used.insert({place.lane, place.reg, place.part});
      }
    }
    ASSERT_EQ(used.size(), matrix.places.size()) << view.opcode;
    std::size_t distinct = 0;
    for (std::size_t r = 0; r < view.registers.size(); ++r) {
      if (view.registers[r].matrix == m && !view.registers[r].repeats) ++distinct;
    }
    EXPECT_EQ(32 * distinct * static_cast<std::size_t>(matrix.parts), used.size()) << view.opcode;
  }
}

struct ProductForm {
  const char* opcode;
  int m, n, k;
  // Registers of D, A, B and C.
  int registers[4];
  int smallest = -9;
};
const ProductForm products[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, {2, 4, 2, 2}},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, {4, 2, 1, 4}},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, {2, 2, 1, 2}},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, {4, 2, 1, 4}},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, {4, 2, 1, 4}},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 16, 8, 32, {4, 4, 2, 4}, 0},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 16, 8, 16, {4, 2, 1, 4}},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32", 16, 8, 16, {4, 2, 1, 4}, 0},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 16, 16, 16, {8, 8, 8, 8}},
    {"wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16", 16, 16, 16, {4, 8, 8, 4}},
    {"wmma.mma.sync.aligned.col.row.m16n16k16.f32.f16", 16, 16, 16, {8, 8, 8, 4}},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", 16, 16, 16, {4, 8, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 16, 16, 16, {8, 4, 4, 8}},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", 32, 8, 16, {8, 8, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16", 32, 8, 16, {4, 8, 8, 4}},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 32, 8, 16, {8, 8, 2, 8}},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 8, 32, 16, {8, 8, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", 8, 32, 16, {4, 8, 8, 4}},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 8, 32, 16, {8, 2, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 16, 16, 8, {8, 4, 4, 8}},
};

std::string instruction_of(const ProductForm& form) {
  std::string text = form.opcode;
  int next = 0;
  for (const int count : form.registers) {
    text += (next == 0 ? " " : ", ") + list(next, count);
    next += count;
  }
  return text + ";";
}

TEST(Fragments, OfAProductAreWhereTheInterpreterReadsAndWritesThem) {
  std::mt19937 random(17);
  for (const ProductForm& form : products) {
    const std::string instruction = instruction_of(form);
    const FragmentView view = fragment_view(instruction);
    ASSERT_EQ(view.why_not, "") << instruction;
    ASSERT_TRUE(view.is_product());
    ASSERT_EQ(view.matrices.size(), 4U);
    expect_inverse(view);
    for (int trial = 0; trial < 4; ++trial) {
      const Matrix a = Matrix::whole(form.m, form.k, form.smallest, 9, random);
      const Matrix b = Matrix::whole(form.k, form.n, form.smallest, 9, random);
      const Matrix c = Matrix::whole(form.m, form.n, -99, 99, random);
      Words words;
      pack(view, 1, a, words);
      pack(view, 2, b, words);
      pack(view, 3, c, words);
      ASSERT_FALSE(HasFailure()) << instruction;
      const Words after = registers_after(view, snippet_of(view, "", instruction, words));
      ASSERT_NO_FATAL_FAILURE(expect_values(view, 0, multiply_add(a, b, c).sum, after));
      ASSERT_NO_FATAL_FAILURE(expect_values(view, 1, a, after));
      ASSERT_NO_FATAL_FAILURE(expect_values(view, 2, b, after));
    }
  }
}

/// The first element is in lane 0: a transposed view of both factors would give the same sums.
TEST(Fragments, OfMmaAreThoseOfTheIsa) {
  const FragmentView half = fragment_view(instruction_of(products[0]));
  // "Matrix fragments for mma.m16n8k16 with floating point type": a2 of lane 5 is in row 1 + 8, column 2.
  EXPECT_EQ(place_of(half, {1, 9, 2}), (FragmentPlace{5, 0, 5}));
  EXPECT_EQ(place_of(half, {1, 1, 11}), (FragmentPlace{5, 1, 6}));
  EXPECT_EQ(place_of(half, {2, 3, 1}), (FragmentPlace{5, 1, 8}));
  EXPECT_EQ(place_of(half, {0, 9, 3}), (FragmentPlace{5, 0, 3}));
  const FragmentView bytes = fragment_view(instruction_of(products[8]));
  EXPECT_EQ(place_of(bytes, {1, 9, 22}), (FragmentPlace{5, 2, 7}));
  EXPECT_EQ(place_of(bytes, {2, 21, 1}), (FragmentPlace{5, 1, 9}));
}

TEST(Fragments, OfAWmmaLoadAndStoreAreWhereTheInterpreterPutsThem) {
  struct Form {
    const char* matrix;
    const char* shape;
    const char* type;
    int rows, columns, registers;
  };
  const Form forms[] = {
      {"a", "m16n16k16", "f16", 16, 16, 8},  {"b", "m16n16k16", "f16", 16, 16, 8},
      {"a", "m32n8k16", "f16", 32, 16, 8},   {"b", "m32n8k16", "f16", 16, 8, 8},
      {"a", "m8n32k16", "f16", 8, 16, 8},    {"b", "m8n32k16", "f16", 16, 32, 8},
      {"a", "m16n16k16", "bf16", 16, 16, 4}, {"b", "m8n32k16", "bf16", 16, 32, 8},
      {"a", "m16n16k8", "tf32", 16, 8, 4},   {"b", "m16n16k8", "tf32", 8, 16, 4},
      {"c", "m16n16k16", "f32", 16, 16, 8},  {"c", "m32n8k16", "f16", 32, 8, 4},
      {"c", "m8n32k16", "f32", 8, 32, 8},    {"c", "m16n16k8", "f32", 16, 16, 8},
  };
  std::mt19937 random(19);
  for (const Form& form : forms) {
    for (const bool by_rows : {true, false}) {
      const std::string suffix =
          fmt::format("sync.aligned.{}.{}.global.{}", by_rows ? "row" : "col", form.shape, form.type);
      const int stride = by_rows ? form.columns : form.rows;
      const std::string load =
          fmt::format("wmma.load.{}.{} {}, [%in], {};", form.matrix, suffix, list(0, form.registers), stride);
      const FragmentView view = fragment_view(load);
      ASSERT_EQ(view.why_not, "") << load;
      ASSERT_EQ(view.matrices.size(), 1U);
      EXPECT_TRUE(view.matrices[0].is_result);
      EXPECT_NE(view.note.find("open"), std::string::npos);
      expect_inverse(view);
      const Matrix values = Matrix::whole(form.rows, form.columns, -99, 99, random);
      MemorySnippet snippet = snippet_of(view, "", load, {});
      const auto element_bytes = static_cast<std::size_t>(4 / view.matrices[0].parts);
      snippet.input.resize(values.values.size() * element_bytes);
      for (int row = 0; row < form.rows; ++row) {
        for (int column = 0; column < form.columns; ++column) {
          const auto at = static_cast<std::size_t>(by_rows ? row * stride + column : column * stride + row);
          const std::uint32_t bits = ptx::encode(values.at(row, column), view.matrices[0].type);
          std::memcpy(snippet.input.data() + at * element_bytes, &bits, element_bytes);
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_values(view, 0, values, registers_after(view, snippet)));
      if (form.matrix[0] != 'c') continue;
      const std::string store =
          fmt::format("wmma.store.d.{} [%out], {}, {};", suffix, list(0, form.registers), stride);
      const FragmentView stored = fragment_view(store);
      ASSERT_EQ(stored.why_not, "") << store;
      EXPECT_FALSE(stored.matrices[0].is_result);
      EXPECT_EQ(stored.matrices[0].places, view.matrices[0].places);
      MemorySnippet storing;
      storing.input = snippet.input;
      storing.output_bytes = snippet.input.size();
      storing.body = load + "\n" + store;
      EXPECT_EQ(storing.run().output, snippet.input);
    }
  }
}

/// Shared memory [64 rows x 8] of distinct halves; lane i addresses row i.
std::string tile_prologue() {
  return "mov.u32 %r50, smem; mul.lo.u32 %r51, %t, 16; add.u32 %r50, %r50, %r51;\n";
}

TEST(Fragments, OfLdmatrixAreWhereTheInterpreterPutsThem) {
  for (const int count : {1, 2, 4}) {
    for (const bool turned : {false, true}) {
      const std::string load = fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%r50];", count,
                                           turned ? ".trans" : "", list(0, count));
      const FragmentView view = fragment_view(load);
      ASSERT_EQ(view.why_not, "") << load;
      ASSERT_EQ(view.matrices.size(), static_cast<std::size_t>(count));
      expect_inverse(view);
      // Each lane writes its own row: element (lane, i) holds 8 * lane + i.
      std::string prologue = tile_prologue() + "mul.lo.u32 %r52, %t, 8;\n";
      for (int i = 0; i < 8; ++i)
        prologue += fmt::format(
            "add.u32 %r53, %r52, {}; cvt.u16.u32 %h1, %r53; st.shared.u16 [%r50+{}], %h1;\n", i, 2 * i);
      prologue += "bar.sync 0;\n";
      const Words words = registers_after(view, snippet_of(view, prologue, load, {}));
      for (std::size_t m = 0; m < view.matrices.size(); ++m) {
        Matrix values(8, 8);
        for (std::size_t i = 0; i < 64; ++i) values.values[i] = static_cast<double>(64 * m + i);
        ASSERT_NO_FATAL_FAILURE(expect_values(view, m, values, words)) << load;
      }
    }
  }
}

TEST(Fragments, OfStmatrixAreWhereTheInterpreterTakesThemFrom) {
  for (const bool turned : {false, true}) {
    const std::string store = fmt::format("stmatrix.sync.aligned.m8n8.x4{}.shared.b16 [%r50], {};",
                                          turned ? ".trans" : "", list(0, 4));
    const FragmentView view = fragment_view(store);
    ASSERT_EQ(view.why_not, "") << store;
    Words words;
    for (std::size_t m = 0; m < 4; ++m) {
      Matrix values(8, 8);
      for (std::size_t i = 0; i < 64; ++i) values.values[i] = static_cast<double>(64 * m + i);
      words.resize(4);
      words[m] = LaneWords{};
      for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
          const FragmentPlace& place = view.matrices[m].at(row, column);
          (*words[m])[place.lane] |= static_cast<std::uint32_t>(values.at(row, column)) << (16 * place.part);
        }
      }
    }
    MemorySnippet snippet = snippet_of(view, tile_prologue(), store, words);
    snippet.output_bytes = 512;
    snippet.body +=
        "bar.sync 0; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r50]; mul.wide.u32 %rd1, %t, 16; "
        "add.u64 %rd1, %rd1, %out; st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\n";
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault);
    for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(ran.at<std::uint16_t>(i), i) << store;
  }
}

TEST(Fragments, AnInstructionAsTheParserGivesIt) {
  const FragmentView view = fragment_view(
      "@%p3 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n\t{%f1,  %f2, %f3, %f4}, // D\n"
      "\t{%r1, %r2, %r3, %r4}, /* A */ {%r5, %r6},\n\t{0f00000000, 0f3F800000, %f7, %f8};");
  ASSERT_EQ(view.why_not, "");
  EXPECT_EQ(view.opcode, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(view.summary, "D (16 x 8, f32) = A (16 x 16, f16) * B (16 x 8, f16) + C (16 x 8, f32)");
  EXPECT_EQ(
      view.instruction,
      "@%p3 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
      "{%r5, %r6}, {0f00000000, 0f3F800000, %f7, %f8};");
  ASSERT_EQ(view.registers.size(), 14U);
  EXPECT_EQ(view.registers[4].name, "%r1");
  EXPECT_EQ(view.registers[11].name, "0f3F800000");
  // A single register needs no braces.
  const FragmentView single = fragment_view("ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r9, [%rd4+-16]");
  ASSERT_EQ(single.why_not, "");
  EXPECT_EQ(single.registers.front().name, "%r9");
}

TEST(Fragments, OtherTextIsASentence) {
  const std::string product = instruction_of(products[0]);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = product;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string texts[] = {
      "add.f32 %f1, %f2, %f3;",
      "",
      "@",
      "@%p1",
      "}{",
      "mma",
      "/*",
      "wmma.load",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3}, [%r4];",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
      "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r4];",
      "HMMA.16816.F32 R4, R8, R10, R4",
      replaced("m16n8k16", "m8n8k4"),
      replaced("f32.f16.f16.f32", "f16.bf16.bf16.f16"),
      replaced("col", "row"),
      replaced("mma.sync", "mma.sp.sync"),
      replaced("{%r0, ", "{"),
      replaced(".sync.aligned", ""),
      "wmma.load.a.sync.aligned.m16n16k16.global.f16 " + list(0, 8) + ", [%rd1], 16;",
      "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r1, %r2}, [%rd1], 16;",
      "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 " + list(0, 8) + ", [%rd1], 16;"};
  for (const std::string& text : texts) {
    const FragmentView view = fragment_view(text);
    ASSERT_FALSE(view.why_not.empty()) << text;
    EXPECT_EQ(view.why_not.back(), '.') << text;
    EXPECT_TRUE(view.matrices.empty() && view.registers.empty()) << text;
    EXPECT_TRUE(fragment_arrangements(view).empty());
  }
}

/// A text that lacks a part or has a wrong character is a sentence or a view whose places all exist.
TEST(Fragments, BrokenTextIsNeverMoreThanASentence) {
  const std::string product = instruction_of(products[0]);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < product.size(); ++i) {
    texts.push_back(product.substr(0, i));
    texts.push_back(product.substr(i));
    for (const char letter : std::string_view("{}[],;.%/*\"\n 0")) {
      texts.push_back(product);
      texts.back()[i] = letter;
    }
  }
  for (const std::string& text : texts) {
    const FragmentView view = fragment_view(text);
    ASSERT_EQ(view.matrices.empty(), !view.why_not.empty()) << text;
    for (const FragmentMatrix& matrix : view.matrices) {
      for (const FragmentPlace& place : matrix.places) ASSERT_LT(place.reg, view.registers.size()) << text;
    }
  }
}

TEST(Fragments, HoverLinksLaneRegisterAndElement) {
  const FragmentView view = fragment_view(instruction_of(products[0]));
  EXPECT_EQ(elements_of_lane(view, 5).size(), 4U + 8U + 4U + 4U);
  EXPECT_EQ(elements_of_register(view, 5).size(), 64U);
  for (const FragmentElement& element : elements_of_register(view, 5)) {
    EXPECT_GE(element.row, 8);
    EXPECT_LT(element.column, 8);
  }
  FragmentMark mark;
  EXPECT_EQ(link_of(view, mark, {1, 0, 0}), FragmentLink::none);
  mark.element = FragmentElement{0, 9, 3};  // of D, in lane 5
  EXPECT_EQ(link_of(view, mark, {0, 9, 3}), FragmentLink::itself);
  EXPECT_EQ(link_of(view, mark, {1, 1, 2}), FragmentLink::same_holder);
  EXPECT_EQ(link_of(view, mark, {3, 9, 3}), FragmentLink::same_holder);
  EXPECT_EQ(link_of(view, mark, {1, 9, 15}), FragmentLink::factor);
  EXPECT_EQ(link_of(view, mark, {2, 15, 3}), FragmentLink::factor);
  EXPECT_EQ(link_of(view, mark, {2, 15, 4}), FragmentLink::none);
  EXPECT_TRUE(marks_lane(view, mark, 5));
  EXPECT_FALSE(marks_lane(view, mark, 4));
  EXPECT_TRUE(marks_register(view, mark, 3));
  EXPECT_FALSE(marks_register(view, mark, 2));
  EXPECT_FALSE(element_at(view, {0, 0, 99}));
  EXPECT_FALSE(element_at(view, {0, 1, 0})) << "an f32 fills its register";

  const FragmentView wide =
      fragment_view("wmma.load.b.sync.aligned.row.m32n8k16.global.f16 " + list(0, 8) + ", [%rd1];");
  EXPECT_EQ(wide.registers[2].repeats, 0U);
  EXPECT_EQ(wide.registers[7].repeats, 1U);
  EXPECT_EQ(elements_of_register(wide, 7), elements_of_register(wide, 1));
  EXPECT_EQ(element_at(wide, {5, 1, 6}), element_at(wide, {5, 1, 0}));
  mark = {};
  mark.reg = 6;
  EXPECT_TRUE(marks_register(wide, mark, 0));
  EXPECT_EQ(link_of(wide, mark, {0, 0, 0}), FragmentLink::same_holder);
}

TEST(Fragments, LinesForTooltips) {
  const FragmentView view = fragment_view(instruction_of(products[0]));
  Words words(view.registers.size());
  words[5] = LaneWords{};
  (*words[5])[5] = 0x3c00b800u;
  using Lines = std::vector<TextPair>;
  EXPECT_EQ(element_lines(view, {1, 9, 2}, words), (Lines{{"A", "row 9, column 2"},
                                                          {"Lane", "5 (group 1, thread 1)"},
                                                          {"Register", "%r5, lower half"},
                                                          {"Value", "-0.5"},
                                                          {"Bits", "0xb800"}}));
  EXPECT_EQ(element_lines(view, {0, 9, 3}, words).back(), (TextPair{"Value", "not yet written"}));
  EXPECT_EQ(element_lines(view, {0, 9, 3}, {}).size(), 3U);
  EXPECT_EQ(lane_lines(view, 5), (Lines{{"Lane", "5 (group 1, thread 1)"},
                                        {"D", "rows 1, 9: columns 2-3"},
                                        {"A", "rows 1, 9: columns 2-3, 10-11"},
                                        {"B", "rows 2, 3, 10, 11: column 1"},
                                        {"C", "rows 1, 9: columns 2-3"}}));
  FragmentMark mark;
  mark.element = FragmentElement{0, 9, 3};
  EXPECT_EQ(mark_lines(view, mark, words), element_lines(view, *mark.element, words));
  EXPECT_EQ(mark_hint(view, mark), "Outlined: row 9 of A and column 3 of B, from which it is computed");
  mark.element = FragmentElement{1, 9, 3};
  EXPECT_EQ(mark_hint(view, mark), "");
  EXPECT_EQ(register_lines(view, 5)[1], (TextPair{"A", "rows 8 to 15, columns 0 to 7"}));
  EXPECT_EQ(register_lines(view, 0)[1], (TextPair{"D", "rows 0 to 7, every second of columns 0 to 6"}));
  const std::string load = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%r2];";
  const FragmentView bits = fragment_view(load), halves = fragment_view(load, Type::f16);
  const Words loaded(2, LaneWords{0x3c00b800u});
  EXPECT_EQ(value_text(bits, {1, 0, 1}, loaded), "0x3c00");
  EXPECT_EQ(value_text(halves, {1, 0, 1}, loaded), "1");
  EXPECT_EQ(lane_lines(bits, 11).back(), (TextPair{"Gives the address of", "row 3 of matrix 1"}));
  EXPECT_EQ(element_lines(bits, {1, 3, 1}, {}).back(), (TextPair{"Address of the row", "from lane 11"}));
}

TEST(Fragments, ArrangementsPutAProductInTheCornerOfItsFactors) {
  const FragmentView view = fragment_view(instruction_of(products[0]));
  const auto arrangements = fragment_arrangements(view);
  ASSERT_EQ(arrangements.size(), 3U);
  for (const FragmentArrangement& arrangement : arrangements) {
    EXPECT_EQ(arrangement.slots[0].column == arrangement.slots[2].column, arrangement.is_aligned)
        << "B is above D";
    EXPECT_EQ(arrangement.slots[0].row, arrangement.slots[1].row) << "A is beside D";
  }
  EXPECT_EQ(arrangements[0].cells_wide(), 40);
  EXPECT_EQ(arrangements[0].cells_high(), 16);
  EXPECT_EQ(arrangements[1].cells_wide(), 32);
  EXPECT_EQ(arrangements[2].cells_wide(), 24);
  EXPECT_EQ(arrangements[2].cells_high(), 32);
  const auto tiles = fragment_arrangements(
      fragment_view("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r4];"));
  ASSERT_EQ(tiles.size(), 3U);
  EXPECT_EQ(tiles[0].cells_wide(), 32);
  EXPECT_EQ(tiles[1].cells_wide(), 16);
  EXPECT_EQ(tiles[2].cells_high(), 32);
}

TEST(Fragments, CellsSayLaneAndRegisterOrValueAndLane) {
  const FragmentView view = fragment_view(instruction_of(products[0]));
  Words words(view.registers.size());
  words[5] = LaneWords{};
  (*words[5])[5] = 0x3c00b800u;
  const std::size_t at = 9 * 16 + 3;
  const auto places = fragment_cell_texts(view, FragmentCells::places, words);
  const auto values = fragment_cell_texts(view, FragmentCells::values, words);
  EXPECT_EQ(places[1].lines[at], (std::array<std::string, 2>{"5", "%r5 hi"}));
  EXPECT_EQ(places[1].letters, (std::array<std::size_t, 2>{2, 6}));
  EXPECT_EQ(values[1].lines[at], (std::array<std::string, 2>{"1", "5"}));
  EXPECT_EQ(values[1].letters, (std::array<std::size_t, 2>{4, 2})) << "-0.5";
  EXPECT_EQ(values[0].letters[0], 0U);
  const std::string csv = fragments_csv(view, words);
  EXPECT_NE(csv.find("\nA,9,3,5,%r5,1,1\n"), std::string::npos);
  EXPECT_NE(csv.find("\nD,9,3,5,%r3,0,\n"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
