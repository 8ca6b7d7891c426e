#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/half_model.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

constexpr int rows = 16, columns = 8, most_depth = 32;
constexpr int d_register = 40, a_register = 4, b_register = 12, c_register = 20;

struct Shape {
  std::string name;
  int depth;
  /// Numbers of a register of A or B: 1, 2 or 4.
  int packed;
  /// How a number of A and of B is written, and what it may be.
  std::function<std::uint32_t(int)> encode_a, encode_b;
  int lowest_a, lowest_b, highest;
};

std::uint32_t encode_f16(int value) {
  return f16_format.rounded(value);
}
std::uint32_t encode_bf16(int value) {
  return bf16_format.rounded(value);
}
std::uint32_t encode_tf32(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
std::uint32_t encode_byte(int value) {
  return static_cast<std::uint32_t>(value) & 0xffu;
}

// Whole numbers, so that every sum is exact and a misplaced element shows.
struct Product {
  int a[rows][most_depth], b[most_depth][columns], c[rows][columns];

  Product(const Shape& shape, unsigned seed) {
    const auto number = [&](unsigned place, int lowest) {
      const std::uint32_t mixed = float_bits(place % 32, 3 * (place / 32) + 1, seed);
      return lowest + static_cast<int>(mixed % static_cast<unsigned>(shape.highest - lowest + 1));
    };
    unsigned place = 0;
    for (auto& row : a)
      for (int& value : row) value = number(place++, shape.lowest_a);
    for (auto& row : b)
      for (int& value : row) value = number(place++, shape.lowest_b);
    for (auto& row : c)
      for (int& value : row) value = number(place++, -shape.highest);
  }
  int result(int row, int column, int depth) const {
    int sum = c[row][column];
    for (int k = 0; k < depth; ++k) sum += a[row][k] * b[k][column];
    return sum;
  }
};

// The fragments of the PTX ISA, "Matrix fragments for mma": with g = lane / 4 and t = lane % 4, register r of A holds row
// g or g + 8 and, of each group of 4 registers' columns, those from packed * t on.
void set_factors(SassSnippet& snippet, const Shape& shape, const Product& product) {
  const int group = 4 * shape.packed, groups = shape.depth / group;
  for (int r = 0; r < 2 * groups; ++r) {
    snippet.set(a_register + r, [&](unsigned lane) {
      const int g = static_cast<int>(lane / 4), t = static_cast<int>(lane % 4);
      std::uint32_t word = 0;
      for (int i = 0; i < shape.packed; ++i) {
        const int value = product.a[g + 8 * (r % 2)][group * (r / 2) + shape.packed * t + i];
        word |= shape.encode_a(value) << (32 / shape.packed * i);
      }
      return word;
    });
  }
  for (int r = 0; r < groups; ++r) {
    snippet.set(b_register + r, [&](unsigned lane) {
      const int g = static_cast<int>(lane / 4), t = static_cast<int>(lane % 4);
      std::uint32_t word = 0;
      for (int i = 0; i < shape.packed; ++i)
        word |= shape.encode_b(product.b[group * r + shape.packed * t + i][g]) << (32 / shape.packed * i);
      return word;
    });
  }
}

struct Place {
  int row, column;
};
// Place of register r in a fragment of four accumulators.
Place place_of(int r, unsigned lane) {
  return {static_cast<int>(lane / 4) + 8 * (r / 2), static_cast<int>(lane % 4) * 2 + r % 2};
}

std::string operands(bool has_layout, bool adds) {
  const std::string factors = has_layout ? " R40, R4.ROW, R12.reuse.COL, " : " R40, R4, R12.reuse, ";
  return factors + (adds ? "R20" : "RZ");
}

using Encode = std::function<std::uint32_t(int)>;
void expect_product(const Shape& shape, const Encode& encode_sum) {
  SCOPED_TRACE(shape.name);
  SassSnippet snippet(matrix_opcodes());
  const bool has_layout = shape.name.starts_with("IMMA");
  for (unsigned round = 0; round < 8; ++round) {
    const Product product(shape, round);
    const bool adds = round % 2 == 0;
    const simt::LaneMask exec = round == 3 ? 0x0ff0f00fu : simt::all_lanes;
    set_factors(snippet, shape, product);
    for (int r = 0; r < 4; ++r) {
      snippet.set(c_register + r, [&](unsigned lane) {
        return encode_sum(product.c[place_of(r, lane).row][place_of(r, lane).column]);
      });
      snippet.set(d_register + r, [](unsigned) { return 0xdeadbeefu; });
    }
    snippet.run(shape.name + operands(has_layout, adds), 0, exec);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (int r = 0; r < 4; ++r) {
        const Place place = place_of(r, lane);
        const int sum = product.result(place.row, place.column, shape.depth) -
                        (adds ? 0 : product.c[place.row][place.column]);
        ASSERT_EQ(snippet.get(d_register + r, lane), (exec >> lane & 1u) != 0 ? encode_sum(sum) : 0xdeadbeefu)
            << "register " << r << ", lane " << lane;
      }
    }
  }
}

TEST(SassMatrix, MultipliesFloats) {
  for (const Shape& shape : {
           Shape{"HMMA.16816.F32", 16, 2, encode_f16, encode_f16, -9, -9, 9},
           Shape{"HMMA.1688.F32", 8, 2, encode_f16, encode_f16, -9, -9, 9},
           Shape{"HMMA.16816.F32.BF16", 16, 2, encode_bf16, encode_bf16, -9, -9, 9},
           Shape{"HMMA.1688.F32.BF16", 8, 2, encode_bf16, encode_bf16, -9, -9, 9},
           Shape{"HMMA.1688.F32.TF32", 8, 1, encode_tf32, encode_tf32, -9, -9, 9},
           Shape{"HMMA.1684.F32.TF32", 4, 1, encode_tf32, encode_tf32, -9, -9, 9},
       }) {
    expect_product(shape, encode_tf32);
  }
}

TEST(SassMatrix, MultipliesBytes) {
  const Encode sum = [](int value) { return static_cast<std::uint32_t>(value); };
  for (const int depth : {16, 32}) {
    const std::string start = "IMMA.168" + std::to_string(depth);
    expect_product({start + ".S8.S8", depth, 4, encode_byte, encode_byte, -128, -128, 127}, sum);
    expect_product({start + ".U8.U8", depth, 4, encode_byte, encode_byte, 0, 0, 255}, sum);
    expect_product({start + ".S8.U8", depth, 4, encode_byte, encode_byte, -128, 0, 127}, sum);
    expect_product({start + ".U8.S8.SAT", depth, 4, encode_byte, encode_byte, 0, -128, 127}, sum);
  }
}

TEST(SassMatrix, SaturatesSumsOfBytes) {
  SassSnippet snippet(matrix_opcodes());
  const std::uint32_t highest = 0x7fffffff;
  for (int r = 0; r < 4; ++r) {
    snippet.set(a_register + r, [](unsigned) { return 0x01010101u; });
    snippet.set(b_register + r, [](unsigned) { return 0x01010101u; });
    snippet.set(c_register + r, [&](unsigned) { return highest - 5; });
  }
  snippet.run("IMMA.16832.S8.S8.SAT R40, R4.ROW, R12.COL, R20");
  EXPECT_EQ(snippet.get(d_register, 4), highest);
  snippet.run("IMMA.16832.S8.S8 R40, R4.ROW, R12.COL, R20");
  EXPECT_EQ(snippet.get(d_register, 4), highest - 5 + 32);
}

// Sums of f16: two registers of pairs.
TEST(SassMatrix, AccumulatesInHalves) {
  SassSnippet snippet(matrix_opcodes());
  for (const int depth : {8, 16}) {
    const Shape shape{
        "HMMA.168" + std::to_string(depth) + ".F16", depth, 2, encode_f16, encode_f16, -4, -4, 4};
    const Product product(shape, 5);
    set_factors(snippet, shape, product);
    const auto pair = [](int low, int high) { return encode_f16(low) | encode_f16(high) << 16; };
    for (int r = 0; r < 2; ++r) {
      snippet.set(c_register + r, [&](unsigned lane) {
        const Place place = place_of(2 * r, lane);
        return pair(product.c[place.row][place.column], product.c[place.row][place.column + 1]);
      });
    }
    snippet.run(shape.name + operands(false, true));
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (int r = 0; r < 2; ++r) {
        const Place place = place_of(2 * r, lane);
        ASSERT_EQ(snippet.get(d_register + r, lane),
                  pair(product.result(place.row, place.column, depth),
                       product.result(place.row, place.column + 1, depth)));
      }
    }
  }
}

TEST(SassMatrix, NamesWhatItDoesNotExecute) {
  SassSnippet snippet(matrix_opcodes());
  for (const char* text : {"HMMA.16832.F32 R40, R4, R12, R20", "HMMA.16816.F16.BF16 R40, R4, R12, R20",
                           "HMMA.16816.F32.TF32 R40, R4, R12, R20", "HMMA.16816 R40, R4, R12, R20",
                           "HMMA.16816.F32 R40, R62, R12, R20", "IMMA.8816.S8.S8 R40, R4.ROW, R12.COL, R20",
                           "IMMA.16864.S4.S4 R40, R4.ROW, R12.COL, R20", "IMMA.16832.S8.S8 R40, R4, R12, R20",
                           "HMMA.16816.F32 R40, R4, -R12, R20"}) {
    EXPECT_THROW(snippet.run(text), Unsupported) << text;
  }
}

}  // namespace
}  // namespace tilescope::sass
