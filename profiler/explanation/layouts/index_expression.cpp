#include "profiler/explanation/layouts/index_expression.hpp"

#include <bit>

namespace tilescope {
namespace {

using std::to_string;

bool is_power_of_two(std::int64_t number) {
  return std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::string times(const std::string& factor, std::int64_t count) {
  return count == 1 ? factor : factor + " * " + to_string(count);
}

std::string over(const std::string& dividend, std::int64_t divisor) {
  return divisor == 1 ? dividend : dividend + " / " + to_string(divisor);
}

// "row % 8", "row / 2 % 4"
std::string bits_of_row(std::int64_t step, int bits) {
  return over("row", step) + " % " + to_string(1 << bits);
}

// Pieces of a row permuted among themselves: the number of the piece XOR the bits of the row.
std::string permuted_row(std::int64_t pitch, std::int64_t piece, const std::string& row_bits) {
  if (piece == 1) return times("row", pitch) + " + (column ^ (" + row_bits + "))";
  return times("row", pitch) + " + (((column / " + to_string(piece) + ") ^ (" + row_bits + ")) * " +
         to_string(piece) + ") + column % " + to_string(piece);
}

// [elements] 2^bit bytes
std::int64_t elements_of_bit(int bit, const TileShape& tile) {
  return (std::int64_t{1} << bit) / tile.element_bytes;
}

std::string swizzled_offset(const std::string& offset, const XorSwizzle& swizzle, const TileShape& tile) {
  const std::int64_t mask = static_cast<std::int64_t>(swizzle.mask()) / tile.element_bytes;
  const std::string term = offset.find(' ') == std::string::npos ? offset : "(" + offset + ")";
  return term + " ^ (" + term + " >> " + to_string(swizzle.shift) + " & " + to_string(mask) + ")";
}

// The rows in a step of the XOR where its bits are some of the row's number; 0 where they are not.
std::int64_t rows_per_step(const CandidateLayout& layout, const TileShape& tile) {
  const XorSwizzle& swizzle = *layout.swizzle;
  if (layout.source == XorSource::row) return std::int64_t{1} << swizzle.shift;
  const std::int64_t pitch = pitch_of(layout, tile);
  const std::int64_t source = std::int64_t{1} << (swizzle.base + swizzle.shift);
  return tile.rows > 1 && is_power_of_two(pitch) && source >= pitch ? source / pitch : 0;
}

}  // namespace

std::string index_expression(const CandidateLayout& layout, const TileShape& tile) {
  const std::int64_t pitch_bytes = pitch_of(layout, tile);
  if (pitch_bytes % tile.element_bytes != 0) return "";
  const std::int64_t pitch = pitch_bytes / tile.element_bytes;
  std::string linear = tile.rows < 2 ? "offset" : times("row", pitch) + " + column";
  if (!layout.swizzle) return linear;
  const XorSwizzle& swizzle = *layout.swizzle;
  if (!is_power_of_two(tile.element_bytes)) return "";
  const std::int64_t piece = elements_of_bit(swizzle.base, tile);
  if (piece == 0) return "";
  const std::int64_t step = rows_per_step(layout, tile);
  if (step == 0) return swizzled_offset(linear, swizzle, tile);
  const std::string row_bits = bits_of_row(step, swizzle.bits);
  if (layout.source == XorSource::row || (piece << swizzle.bits) <= pitch)
    return permuted_row(pitch, piece, row_bits);
  if (piece >= pitch) {
    const std::int64_t rows = piece / pitch;  // that stay together
    const std::string moved = rows == 1 ? row_bits : "(" + row_bits + ") * " + to_string(rows);
    return times("(row ^ (" + moved + "))", pitch) + " + column";
  }
  return swizzled_offset(linear, swizzle, tile);
}

std::string xor_source_words(const CandidateLayout& layout, const TileShape& tile) {
  const XorSwizzle& swizzle = *layout.swizzle;
  const std::int64_t step = rows_per_step(layout, tile);
  if (step != 0) return bits_of_row(step, swizzle.bits);
  const int first = swizzle.base + swizzle.shift;
  if (swizzle.bits == 1) return "bit " + to_string(first) + " of the offset";
  return "bits " + to_string(first) + " to " + to_string(first + swizzle.bits - 1) + " of the offset";
}

}  // namespace tilescope
