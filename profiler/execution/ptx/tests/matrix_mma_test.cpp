// mma: every position of every fragment, and rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiler/execution/ptx/tests/matrix_fragments.hpp"
#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

struct MmaShape {
  const char* name;   // "m16n8k16"
  const char* types;  // "f32.f16.f16.f32"
  int k;
  Type factor, sum;
  Layout a, b;
};
const MmaShape shapes[] = {
    {"m16n8k16", "f32.f16.f16.f32", 16, Type::f16, Type::f32, a_16_bits, b_16_bits},
    {"m16n8k16", "f16.f16.f16.f16", 16, Type::f16, Type::f16, a_16_bits, b_16_bits},
    {"m16n8k16", "f32.bf16.bf16.f32", 16, Type::bf16, Type::f32, a_16_bits, b_16_bits},
    {"m16n8k8", "f32.f16.f16.f32", 8, Type::f16, Type::f32, a_16_bits, b_16_bits},
    {"m16n8k8", "f16.f16.f16.f16", 8, Type::f16, Type::f16, a_16_bits, b_16_bits},
    {"m16n8k8", "f32.bf16.bf16.f32", 8, Type::bf16, Type::f32, a_16_bits, b_16_bits},
    {"m16n8k8", "f32.tf32.tf32.f32", 8, Type::tf32, Type::f32, a_tf32, b_tf32},
    {"m16n8k4", "f32.tf32.tf32.f32", 4, Type::tf32, Type::f32, a_tf32, b_tf32},
    {"m16n8k32", "s32.s8.s8.s32", 32, Type::s8, Type::s32, a_8_bits, b_8_bits},
    {"m16n8k32", "s32.u8.u8.s32", 32, Type::u8, Type::s32, a_8_bits, b_8_bits},
    {"m16n8k16", "s32.s8.s8.s32", 16, Type::s8, Type::s32, a_8_bits, b_8_bits},
    {"m16n8k16", "satfinite.s32.u8.u8.s32", 16, Type::u8, Type::s32, a_8_bits, b_8_bits},
};

// Loads the registers of `operands` from the input, one after the other, and stores the registers of d.
MemorySnippet snippet_of(const std::string& opcode, std::vector<std::vector<std::uint32_t>> operands,
                         int d_registers, bool in_place = false) {
  MemorySnippet snippet;
  snippet.output_bytes = static_cast<std::size_t>(128 * d_registers);
  snippet.body = "mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %rd1, %in; add.u64 %rd3, %rd1, %out;\n";
  std::vector<std::uint32_t> input;
  std::string lists;
  int next = 0;
  std::string last;
  for (const auto& operand : operands) {
    last = "{";
    for (std::size_t r = 0; r < operand.size() / 32; ++r, ++next) {
      snippet.body +=
          "ld.global.u32 %r" + std::to_string(next) + ", [%rd2+" + std::to_string(128 * next) + "];\n";
      last += (r == 0 ? "%r" : ", %r") + std::to_string(next);
    }
    last += "}";
    lists += ", " + last;
    input.insert(input.end(), operand.begin(), operand.end());
  }
  std::string d = "{";
  for (int r = 0; r < d_registers; ++r)
    d += (r == 0 ? "%r" : ", %r") + std::to_string(in_place ? next - d_registers + r : 40 + r);
  d += "}";
  snippet.body += opcode + " " + d + lists + ";\n";
  for (int r = 0; r < d_registers; ++r) {
    snippet.body += "st.global.u32 [%rd3+" + std::to_string(128 * r) + "], %r" +
                    std::to_string(in_place ? next - d_registers + r : 40 + r) + ";\n";
  }
  snippet.input = bytes_of(input);
  return snippet;
}

std::vector<std::uint32_t> words(const MemorySnippet::Ran& ran) {
  std::vector<std::uint32_t> result(ran.output.size() / 4);
  std::memcpy(result.data(), ran.output.data(), ran.output.size());
  return result;
}

Matrix run_mma(const MmaShape& shape, const Matrix& a, const Matrix& b, const Matrix& c,
               bool in_place = false) {
  const auto snippet =
      snippet_of(std::string("mma.sync.aligned.") + shape.name + ".row.col." + shape.types,
                 {pack(a, shape.a, 16 * shape.k / 32, shape.factor),
                  pack(b, shape.b, 8 * shape.k / 32, shape.factor), pack(c, accumulator, 4, shape.sum)},
                 shape.sum == Type::f16 ? 2 : 4, in_place);
  const auto ran = snippet.run();
  EXPECT_FALSE(ran.result.fault);
  return unpack(words(ran), accumulator, 4, shape.sum, 16, 8);
}

TEST(Mma, PutsEveryElementInItsPlace) {
  std::mt19937 random(7);
  for (const MmaShape& shape : shapes) {
    const int smallest = shape.factor == Type::u8 ? 0 : -9;
    for (int trial = 0; trial < 8; ++trial) {
      const Matrix a = Matrix::whole(16, shape.k, smallest, 9, random),
                   b = Matrix::whole(shape.k, 8, smallest, 9, random);
      const Matrix c = Matrix::whole(16, 8, -100, 100, random);
      EXPECT_EQ(run_mma(shape, a, b, c, trial % 2 == 1).values, multiply_add(a, b, c).sum.values)
          << shape.name << " " << shape.types;
    }
  }
}

// One element of A at a time, with a B whose elements all differ: finds errors that sums could hide.
TEST(Mma, PicksOneElementAtATime) {
  for (const MmaShape& shape : shapes) {
    Matrix b(shape.k, 8);
    for (int k = 0; k < shape.k; ++k) {
      for (int n = 0; n < 8; ++n) b.at(k, n) = (8 * k + n) % 128;
    }
    for (int m = 0; m < 16; ++m) {
      for (int k = 0; k < shape.k; k += 3) {
        Matrix a(16, shape.k);
        a.at(m, k) = 1;
        const Matrix c(16, 8);
        ASSERT_EQ(run_mma(shape, a, b, c).values, multiply_add(a, b, c).sum.values)
            << shape.types << " " << m << " " << k;
      }
    }
  }
}

// Random factors: within k + 1 float roundings of the sum of magnitudes, plus one rounding to the result's type.
TEST(Mma, IsWithinTheRoundingOfItsSums) {
  std::mt19937 random(11);
  for (const MmaShape& shape : shapes) {
    if (shape.sum == Type::s32) continue;
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix a = Matrix::normal(16, shape.k, shape.factor, random),
                   b = Matrix::normal(shape.k, 8, shape.factor, random);
      const Matrix c = Matrix::normal(16, 8, shape.sum, random);
      const Matrix d = run_mma(shape, a, b, c);
      const Product expected = multiply_add(a, b, c);
      for (std::size_t i = 0; i < d.values.size(); ++i) {
        const double last = shape.sum == Type::f16
                                ? std::ldexp(std::abs(expected.sum.values[i]), -11) + std::ldexp(1, -25)
                                : 0;
        const double bound = (shape.k + 1) * std::ldexp(expected.magnitude.values[i], -24) + 1.01 * last;
        EXPECT_LE(std::abs(d.values[i] - expected.sum.values[i]), bound) << shape.types;
      }
    }
  }
}

TEST(Mma, TreatsSpecialValuesAsTensorCoresDo) {
  const MmaShape& shape = shapes[0];
  Matrix a(16, 16), b(16, 8), c(16, 8);
  const double infinity = std::numeric_limits<double>::infinity();
  a.at(0, 0) = infinity;            // row 0: inf * 1 and inf * 0
  a.at(1, 1) = std::ldexp(1, -24);  // the least denormal of f16
  b.at(0, 0) = 1;
  b.at(1, 0) = std::ldexp(1, -24);
  const auto snippet = snippet_of(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
      {pack(a, shape.a, 8, Type::f16), pack(b, shape.b, 4, Type::f16), pack(c, accumulator, 4, Type::f32)},
      4);
  const auto result = words(snippet.run());
  EXPECT_EQ(result[0], bits_of(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(result[32], 0x7fffffffu);  // row 0, column 1
  EXPECT_EQ(result[4], bits_of(std::ldexp(1.0f, -48)));
}

// Only the upper 19 bits of a tf32 count.
TEST(Mma, CutsTf32) {
  Matrix a(16, 8), b(8, 8), c(16, 8);
  a.at(3, 2) = 1 + std::ldexp(1, -11) + std::ldexp(1, -10);
  b.at(2, 5) = 1 - std::ldexp(1, -24);
  EXPECT_EQ(run_mma(shapes[6], a, b, c).at(3, 5), (1 + std::ldexp(1, -10)) * (1 - std::ldexp(1, -11)));
}

TEST(Mma, SaturatesIntegers) {
  Matrix a(16, 16), b(16, 8), c(16, 8);
  a.at(0, 0) = b.at(0, 0) = 255;
  c.at(0, 0) = std::numeric_limits<std::int32_t>::max() - 3;
  EXPECT_EQ(run_mma(shapes[11], a, b, c).at(0, 0), std::numeric_limits<std::int32_t>::max());
  MmaShape wrapping = shapes[11];
  wrapping.types = "s32.u8.u8.s32";
  EXPECT_EQ(run_mma(wrapping, a, b, c).at(0, 0),
            static_cast<double>(std::int64_t{std::numeric_limits<std::int32_t>::max()} - 3 + 255 * 255 -
                                (std::int64_t{1} << 32)));
}

TEST(Mma, WhatIsNotKnownIsUnsupported) {
  const char* bodies[] = {
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r9,%r10}, "
      "{%r11,%r12}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};",
      "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
      "{%r1,%r2,%r3,%r4};",
      "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
      "{%r1,%r2};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3}, {%r1,%r2}, "
      "{%r1,%r2,%r3,%r4};",
      "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
      "{%r1,%r2,%r3,%r4};",
  };
  for (const char* body : bodies) {
    MemorySnippet snippet;
    snippet.body = body;
    EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported) << body;
  }
}

}  // namespace
}  // namespace tilescope::ptx
