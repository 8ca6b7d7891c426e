#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/reference/number_formats.hpp"
#include "profiler/execution/ptx/syntax.hpp"

/// Matrices for the tests of ldmatrix, mma and wmma, and the places of their elements in fragments by the formulas of
/// the PTX ISA ("Matrix fragments for mma").
namespace tilescope::ptx {

struct Matrix {
  int rows = 0, columns = 0;
  std::vector<double> values;

  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  double& at(int r, int c) { return values[static_cast<std::size_t>(r * columns + c)]; }
  double at(int r, int c) const { return values[static_cast<std::size_t>(r * columns + c)]; }

  /// Small whole numbers: every sum of products is exact in any order, so that a misplaced element shows.
  static Matrix whole(int r, int c, int smallest, int largest, std::mt19937& random) {
    Matrix matrix(r, c);
    for (double& value : matrix.values) value = std::uniform_int_distribution<int>(smallest, largest)(random);
    return matrix;
  }
  static Matrix normal(int r, int c, Type type, std::mt19937& random);
};

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  static_assert(sizeof bits == sizeof value);
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// [B] of an element, in a fragment and in memory.
inline int bytes_of(Type type) {
  return size_of(type);
}

inline std::uint32_t encode(double value, Type type) {
  const auto single = static_cast<float>(value);
  switch (type) {
    case Type::f16:
      return reference::from_float(single, reference::Format::fp16);
    case Type::bf16:
      return reference::from_float(single, reference::Format::bf16);
    case Type::s8:
    case Type::u8:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) & 0xffu;
    case Type::s32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    default:
      return bits_of(single);
  }
}

inline double decoded(std::uint32_t bits, Type type) {
  switch (type) {
    case Type::f16:
      return reference::to_float(static_cast<std::uint16_t>(bits), reference::Format::fp16);
    case Type::bf16:
      return reference::to_float(static_cast<std::uint16_t>(bits), reference::Format::bf16);
    case Type::s32:
      return static_cast<std::int32_t>(bits);
    case Type::tf32:
      return float_of(bits & 0xffffe000u);
    default:
      return float_of(bits);
  }
}

inline Matrix Matrix::normal(int r, int c, Type type, std::mt19937& random) {
  Matrix matrix(r, c);
  std::normal_distribution<double> distribution;
  for (double& value : matrix.values) value = decoded(encode(distribution(random), type), type);
  return matrix;
}

/// The place of element i of a lane's fragment.
struct Element {
  int row = 0, column = 0;
};
using Layout = Element (*)(int lane, int i);

inline Element a_16_bits(int lane, int i) {
  return {lane / 4 + (i % 4 >= 2 ? 8 : 0), lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0)};
}
inline Element b_16_bits(int lane, int i) {
  return {lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4};
}
inline Element a_tf32(int lane, int i) {
  return {lane / 4 + (i % 2 != 0 ? 8 : 0), lane % 4 + (i >= 2 ? 4 : 0)};
}
inline Element b_tf32(int lane, int i) {
  return {lane % 4 + (i == 1 ? 4 : 0), lane / 4};
}
inline Element a_8_bits(int lane, int i) {
  return {lane / 4 + (i % 8 >= 4 ? 8 : 0), lane % 4 * 4 + i % 4 + (i >= 8 ? 16 : 0)};
}
inline Element b_8_bits(int lane, int i) {
  return {lane % 4 * 4 + i % 4 + (i >= 4 ? 16 : 0), lane / 4};
}
inline Element accumulator(int lane, int i) {
  return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
}

/// The registers of a fragment of `count` elements a lane, register after register, 32 lanes each.
inline std::vector<std::uint32_t> pack(const Matrix& matrix, Layout layout, int count, Type type) {
  const int in_register = 4 / bytes_of(type);
  std::vector<std::uint32_t> registers(static_cast<std::size_t>(32 * count / in_register));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < count; ++i) {
      const Element place = layout(lane, i);
      registers[static_cast<std::size_t>(i / in_register * 32 + lane)] |=
          encode(matrix.at(place.row, place.column), type) << (i % in_register * 8 * bytes_of(type));
    }
  }
  return registers;
}

inline Matrix unpack(const std::vector<std::uint32_t>& registers, Layout layout, int count, Type type,
                     int rows, int columns) {
  const int in_register = 4 / bytes_of(type);
  Matrix matrix(rows, columns);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < count; ++i) {
      const Element place = layout(lane, i);
      std::uint32_t bits = registers[static_cast<std::size_t>(i / in_register * 32 + lane)] >>
                           (i % in_register * 8 * bytes_of(type));
      if (bytes_of(type) == 2) bits &= 0xffffu;
      matrix.at(place.row, place.column) = decoded(bits, type);
    }
  }
  return matrix;
}

/// a * b + c in double; and the sum of the magnitudes of all that is added, for bounds of rounding.
struct Product {
  Matrix sum, magnitude;
};
inline Product multiply_add(const Matrix& a, const Matrix& b, const Matrix& c) {
  Product product{c, Matrix(c.rows, c.columns)};
  for (int m = 0; m < c.rows; ++m) {
    for (int n = 0; n < c.columns; ++n) {
      double magnitude = std::abs(c.at(m, n));
      for (int k = 0; k < a.columns; ++k) {
        product.sum.at(m, n) += a.at(m, k) * b.at(k, n);
        magnitude += std::abs(a.at(m, k) * b.at(k, n));
      }
      product.magnitude.at(m, n) = magnitude;
    }
  }
  return product;
}

}  // namespace tilescope::ptx
