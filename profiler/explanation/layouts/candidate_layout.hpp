#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

/// Layouts that a tile may have: rows with padding behind them, and XOR swizzles.
namespace tilescope {

/// A tile's elements, without their places.
struct TileShape {
  std::int64_t rows = 0, columns = 0;
  /// [B]
  std::int64_t element_bytes = 1;

  std::int64_t row_bytes() const { return columns * element_bytes; }
  std::int64_t elements() const { return rows * columns; }
  bool operator==(const TileShape&) const = default;
};

/// CUTLASS's Swizzle<bits, base, shift>, applied to an offset in bytes: the `bits` bits of the offset from bit `base`
/// on are XORed with those from bit `base + shift` on, so that 2^base bytes stay together. In elements of 2^k bytes the
/// same swizzle is Swizzle<bits, base - k, shift>.
struct XorSwizzle {
  int bits = 0, base = 0, shift = 0;

  std::uint64_t mask() const { return ((std::uint64_t{1} << bits) - 1) << base; }
  std::uint64_t apply(std::uint64_t offset) const { return offset ^ (offset >> shift & mask()); }
  bool operator==(const XorSwizzle&) const = default;
};

/// Source of the bits that a swizzle XORs with.
enum class XorSource {
  /// From the offset itself, as CUTLASS does.
  offset,
  /// From the row's number: bits `base` to `base + bits` of the byte within the row are XORed with row >> shift. For
  /// rows of a power of two of bytes that is a swizzle of the offset; for others (D 96, 80) it is not, and this is the
  /// one that shifts every row by the same step.
  row,
};

/// A rule for the place of each element. Without padding and swizzle: row after row.
struct CandidateLayout {
  /// [B] behind each row
  std::int64_t padding = 0;
  std::optional<XorSwizzle> swizzle = std::nullopt;
  XorSource source = XorSource::offset;

  bool operator==(const CandidateLayout&) const = default;
};

/// [B] From one row to the next, before the swizzle.
inline std::int64_t pitch_of(const CandidateLayout& layout, const TileShape& tile) {
  return tile.row_bytes() + layout.padding;
}

/// [B] The place of each element from the start of the tile, row by row. No two are equal.
std::vector<std::uint32_t> places_of(const CandidateLayout& layout, const TileShape& tile);

/// [B] The end of the last element.
std::int64_t footprint(const std::vector<std::uint32_t>& places, const TileShape& tile);

/// The candidates for a tile of `widest_access` bytes at most in an access, a power of two.
class CandidateList {
 public:
  CandidateList(const TileShape& tile, std::int64_t widest_access);

  /// Without padding and swizzle, paddings up to one turn through the banks, and swizzles.
  std::vector<CandidateLayout> simple();
  /// Swizzles of rows with this padding.
  std::vector<CandidateLayout> with_padding(std::int64_t padding);
  /// [B] Paddings for with_padding: those that keep accesses aligned, in powers of two.
  std::vector<std::int64_t> paddings() const;

 private:
  int lowest_base() const;
  void add(const CandidateLayout& layout);
  void add_paddings();
  void add_swizzles(std::int64_t padding, int first_base, int last_base);
  void add_row_swizzles(std::int64_t padding);

  TileShape tile_;
  /// [B] The smallest piece that moves banks and cuts no access.
  std::int64_t piece_;
  std::vector<CandidateLayout> list_;
  /// Hashes of places: no two candidates have the same ones.
  std::unordered_set<std::size_t> seen_;
};

/// "row-major", "pad 16 B", "swizzle 3 bits, base 4, shift 3", "pad 32 B, swizzle 1 bit, base 4, by row / 4"
std::string to_words(const CandidateLayout& layout);

/// "Swizzle<3, 4, 3>" on bytes; "" for a layout without a swizzle of the offset.
std::string cutlass_name(const CandidateLayout& layout);

}  // namespace tilescope
