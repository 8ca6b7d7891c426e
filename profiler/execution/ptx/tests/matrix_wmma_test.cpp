// wmma: load, product and store in every shape, layout and type; the layout of fragments in registers.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/ptx/tests/matrix_fragments.hpp"
#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

struct WmmaShape {
  const char* name;
  int m, n, k;
  Type factor, c, d;
  const char* types;  // of wmma.mma
  int a_registers, b_registers;
};
const WmmaShape shapes[] = {
    {"m16n16k16", 16, 16, 16, Type::f16, Type::f32, Type::f32, "f32.f32", 8, 8},
    {"m16n16k16", 16, 16, 16, Type::f16, Type::f16, Type::f16, "f16.f16", 8, 8},
    {"m16n16k16", 16, 16, 16, Type::f16, Type::f16, Type::f32, "f32.f16", 8, 8},
    {"m16n16k16", 16, 16, 16, Type::f16, Type::f32, Type::f16, "f16.f32", 8, 8},
    {"m16n16k16", 16, 16, 16, Type::bf16, Type::f32, Type::f32, "f32.bf16.bf16.f32", 4, 4},
    {"m32n8k16", 32, 8, 16, Type::f16, Type::f32, Type::f32, "f32.f32", 8, 8},
    {"m32n8k16", 32, 8, 16, Type::f16, Type::f16, Type::f16, "f16.f16", 8, 8},
    {"m32n8k16", 32, 8, 16, Type::bf16, Type::f32, Type::f32, "f32.bf16.bf16.f32", 8, 2},
    {"m8n32k16", 8, 32, 16, Type::f16, Type::f32, Type::f32, "f32.f32", 8, 8},
    {"m8n32k16", 8, 32, 16, Type::f16, Type::f16, Type::f16, "f16.f16", 8, 8},
    {"m8n32k16", 8, 32, 16, Type::bf16, Type::f32, Type::f32, "f32.bf16.bf16.f32", 2, 8},
    {"m16n16k8", 16, 16, 8, Type::tf32, Type::f32, Type::f32, "f32.tf32.tf32.f32", 4, 4},
};

constexpr int padding = 8;  // elements behind each row (or column) in memory

struct Stored {
  std::vector<std::byte> bytes;
  int stride = 0;
};
Stored in_memory(const Matrix& matrix, Type type, bool is_row) {
  Stored stored;
  stored.stride = (is_row ? matrix.columns : matrix.rows) + padding;
  const auto element = static_cast<std::size_t>(bytes_of(type));
  stored.bytes.resize(
      static_cast<std::size_t>((is_row ? matrix.rows : matrix.columns) * stored.stride) * element,
      std::byte{0xee});
  for (int r = 0; r < matrix.rows; ++r) {
    for (int c = 0; c < matrix.columns; ++c) {
      const std::uint32_t bits = encode(matrix.at(r, c), type);
      const int place = is_row ? r * stored.stride + c : c * stored.stride + r;
      std::memcpy(stored.bytes.data() + static_cast<std::size_t>(place) * element, &bits, element);
    }
  }
  return stored;
}

std::string registers(const std::string& prefix, int first, int count) {
  std::string list = "{";
  for (int r = 0; r < count; ++r) list += (r == 0 ? prefix : ", " + prefix) + std::to_string(first + r);
  return list + "}";
}

int accumulator_registers(Type type) {
  return type == Type::f32 ? 8 : 4;
}

// Copies `bytes` (a multiple of 4) of the input to shared memory, from thread to thread.
std::string copy_to_shared(std::size_t bytes) {
  return "mul.lo.u32 %r60, %t, 4; mov.u32 %r61, smem; mov.u32 %r63, %r60;\n"
         "COPY: cvt.u64.u32 %rd60, %r63; add.u64 %rd60, %rd60, %in; ld.global.u32 %r62, [%rd60]; add.u32 "
         "%r59, %r61, %r63;"
         "st.shared.u32 [%r59], %r62; add.u32 %r63, %r63, 128; setp.lt.u32 %p60, %r63, " +
         std::to_string(bytes) + "; @%p60 bra COPY; bar.sync 0;\n";
}

const char* const spaces[] = {".global", ".shared", "generic global", "generic shared"};

// D as it lies in memory after D = A * B + C, of matrices in a state space.
void check(const WmmaShape& shape, int space, bool a_row, bool b_row, bool c_row, bool d_row,
           std::mt19937& random) {
  const Matrix a = Matrix::whole(shape.m, shape.k, -9, 9, random),
               b = Matrix::whole(shape.k, shape.n, -9, 9, random);
  const Matrix c = Matrix::whole(shape.m, shape.n, -99, 99, random);
  const Stored a_stored = in_memory(a, shape.factor, a_row), b_stored = in_memory(b, shape.factor, b_row);
  const Stored c_stored = in_memory(c, shape.c, c_row);
  const Stored d_stored = in_memory(multiply_add(a, b, c).sum, shape.d, d_row);
  MemorySnippet snippet;
  snippet.fill = std::byte{0xee};
  snippet.output_bytes = d_stored.bytes.size();
  const std::size_t b_at = (a_stored.bytes.size() + 127) / 128 * 128,
                    c_at = b_at + (b_stored.bytes.size() + 127) / 128 * 128;
  snippet.input.resize(c_at + c_stored.bytes.size());
  std::copy(a_stored.bytes.begin(), a_stored.bytes.end(), snippet.input.begin());
  std::copy(b_stored.bytes.begin(), b_stored.bytes.end(),
            snippet.input.begin() + static_cast<std::ptrdiff_t>(b_at));
  std::copy(c_stored.bytes.begin(), c_stored.bytes.end(),
            snippet.input.begin() + static_cast<std::ptrdiff_t>(c_at));
  snippet.input.resize((snippet.input.size() + 127) / 128 * 128);
  const bool is_shared = space % 2 == 1;
  if (is_shared) snippet.body += copy_to_shared(snippet.input.size());
  if (space == 0 || space == 2) snippet.body += "mov.u64 %rd1, %in;";
  if (space == 1) snippet.body += "mov.u32 %r58, smem;";
  if (space == 3) snippet.body += "mov.u64 %rd1, smem; cvta.shared.u64 %rd1, %rd1;";
  const std::string base = space == 1 ? "%r58" : "%rd1";
  const std::string suffix = space < 2 ? spaces[space] : "";
  const auto layout = [](bool is_row) { return std::string(is_row ? "row" : "col"); };
  const auto load = [&](const char* matrix, bool is_row, Type type, const std::string& list, std::size_t at,
                        int stride) {
    snippet.body += "mov.u32 %r57, " + std::to_string(stride) + "; wmma.load." + matrix + ".sync.aligned." +
                    layout(is_row) + "." + shape.name + suffix + "." + std::string(name_of(type)) + " " +
                    list + ", [" + base + "+" + std::to_string(at) + "], %r57;\n";
  };
  const int c_registers = accumulator_registers(shape.c), d_registers = accumulator_registers(shape.d);
  const std::string a_list = registers("%r", 0, shape.a_registers),
                    b_list = registers("%r", 8, shape.b_registers);
  const std::string c_list = registers("%r", 16, c_registers), d_list = registers("%r", 24, d_registers);
  load("a", a_row, shape.factor, a_list, 0, a_stored.stride);
  load("b", b_row, shape.factor, b_list, b_at, b_stored.stride);
  load("c", c_row, shape.c, c_list, c_at, c_stored.stride);
  snippet.body += "wmma.mma.sync.aligned." + layout(a_row) + "." + layout(b_row) + "." + shape.name + "." +
                  shape.types + " " + d_list + ", " + a_list + ", " + b_list + ", " + c_list + ";\n";
  snippet.body += "wmma.store.d.sync.aligned." + layout(d_row) + "." + shape.name + ".global." +
                  std::string(name_of(shape.d)) + " [%out], " + d_list + ", " +
                  std::to_string(d_stored.stride) + ";";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  ASSERT_EQ(ran.output, d_stored.bytes)
      << shape.name << " " << shape.types << " " << spaces[space] << " " << a_row << b_row << c_row << d_row;
}

TEST(Wmma, MultipliesInEveryShapeLayoutAndSpace) {
  std::mt19937 random(3);
  for (const WmmaShape& shape : shapes) {
    for (int space = 0; space < 4; ++space) {
      for (int layouts = 0; layouts < 16; ++layouts) {
        check(shape, space, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0, (layouts & 8) != 0,
              random);
      }
    }
  }
}

// A kernel that reads its fragments' elements finds two m16n8k16 fragments side by side.
TEST(Wmma, LiesInRegistersAsTwoFragmentsOfMma) {
  std::mt19937 random(5);
  const Matrix a = Matrix::whole(16, 16, -99, 99, random), c = Matrix::whole(16, 16, -99, 99, random);
  MemorySnippet snippet;
  const Stored a_stored = in_memory(a, Type::f16, true), c_stored = in_memory(c, Type::f32, true);
  snippet.input = a_stored.bytes;
  const std::size_t c_at = snippet.input.size();
  snippet.input.insert(snippet.input.end(), c_stored.bytes.begin(), c_stored.bytes.end());
  snippet.output_bytes = 16 * 128;
  snippet.body = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + registers("%r", 0, 8) +
                 ", [%in], 24;" + "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                 registers("%f", 0, 8) + ", [%in+" + std::to_string(c_at) + "], 24;" +
                 "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out;";
  for (int r = 0; r < 8; ++r) {
    snippet.body += "st.global.u32 [%rd1+" + std::to_string(128 * r) + "], %r" + std::to_string(r) + ";";
    snippet.body +=
        "st.global.f32 [%rd1+" + std::to_string(128 * (8 + r)) + "], %f" + std::to_string(r) + ";";
  }
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  const auto fragment = pack(a, a_16_bits, 8, Type::f16);
  Matrix left(16, 8), right(16, 8);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) left.at(m, n) = c.at(m, n), right.at(m, n) = c.at(m, n + 8);
  }
  const auto left_fragment = pack(left, accumulator, 4, Type::f32),
             right_fragment = pack(right, accumulator, 4, Type::f32);
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(ran.at<std::uint32_t>(i), fragment[i]);
    EXPECT_EQ(ran.at<std::uint32_t>(128 + i), fragment[i]);  // given twice
    EXPECT_EQ(ran.at<std::uint32_t>(256 + i), left_fragment[i]);
    EXPECT_EQ(ran.at<std::uint32_t>(384 + i), right_fragment[i]);
  }
}

TEST(Wmma, WithoutAStrideMatricesAreDense) {
  std::mt19937 random(9);
  const Matrix c = Matrix::whole(32, 8, -99, 99, random);
  MemorySnippet snippet;
  for (const double value : c.values) {
    const std::uint32_t bits = encode(value, Type::f32);
    for (int k = 0; k < 4; ++k) snippet.input.push_back(static_cast<std::byte>(bits >> 8 * k));
  }
  snippet.output_bytes = snippet.input.size();
  snippet.body = "wmma.load.c.sync.aligned.row.m32n8k16.global.f32 " + registers("%f", 0, 8) + ", [%in];" +
                 "wmma.store.d.sync.aligned.row.m32n8k16.global.f32 [%out], " + registers("%f", 0, 8) + ";";
  EXPECT_EQ(snippet.run().output, snippet.input);
}

TEST(Wmma, WhatIsNotKnownIsUnsupported) {
  const std::string eight = registers("%r", 0, 8), two = registers("%r", 0, 2);
  const std::string bodies[] = {
      "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 " + two + ", [%in], 16;",
      "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 " + eight + ", [%in], 16;",
      "wmma.load.a.sync.aligned.m16n16k16.global.f16 " + eight + ", [%in], 16;",
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + two + ", [%in], 16;",
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite " + eight + ", " + eight + ", " + eight +
          ", " + eight + ";",
  };
  for (const std::string& body : bodies) {
    MemorySnippet snippet;
    snippet.body = body;
    EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported) << body;
  }
}

}  // namespace
}  // namespace tilescope::ptx
