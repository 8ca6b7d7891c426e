#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "profiler/execution/simt/observer.hpp"

/// The lines of L1 that an access touches.
namespace tilescope::model {

inline constexpr std::uint64_t bytes_of_line = 128;
inline constexpr unsigned sectors_of_line = 4;

/// A line of 128 B with the bytes that one access of a warp touches.
struct TouchedLine {
  /// Address / 128. Lines of local memory have numbers of their own.
  std::uint64_t number = 0;
  /// By sector: a bit for each of its bytes.
  std::array<std::uint32_t, sectors_of_line> bytes{};

  /// A bit for each touched sector.
  unsigned sectors() const;
  /// Touched sectors of which it does not touch all bytes.
  unsigned partial_sectors() const;
};

/// One object for many accesses: it is too large to be made for each.
class AccessLines {
 public:
  /// Takes an access to global or local memory; `warp` numbers the warps of a block, whose local memory is their own.
  /// Local memory lies as a GPU keeps it: word w of lane l at (32 w + l) * 4.
  void read(const simt::MemoryAccess& access, unsigned warp);
  /// In the order of the lanes that touch them first.
  std::span<const TouchedLine> lines() const { return {lines_.data(), used_}; }
  /// [cycles] in which L1 looks the lines up: each of its four banks of tags takes one line a cycle. Which bits of a line's
  /// number choose the bank was inferred from strides on an H200 (hardware/l1_loads_h200.csv): this choice gives 1.0 to
  /// 14.2 cycles of a load within 4 % on average.
  unsigned lookups() const;

 private:
  void add(std::uint64_t address, std::uint64_t bytes);
  TouchedLine& line(std::uint64_t number);

  // A lane touches 32 B at the most: two lines of global memory, eight of local memory.
  std::array<TouchedLine, 8 * std::size_t{simt::lane_count}> lines_;
  std::size_t used_ = 0;
  // A bit for each hash of a line's number that is among them: most lines of a strided access are new.
  std::uint64_t hashes_ = 0;
};

}  // namespace tilescope::model
