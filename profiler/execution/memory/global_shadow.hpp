#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiler/execution/memory/happens_before.hpp"

namespace tilescope {

inline constexpr std::uint32_t no_block = ~std::uint32_t{0};

/// Who accessed a cell of global memory: 4 bytes, or fewer where narrower accesses came to its page.
struct GlobalCell {
  struct Write {
    std::uint32_t block = no_block;
    std::uint16_t thread = 0, site = 0;
    Moment moment = 0;
    /// The number of the warp's access, from 1.
    std::uint32_t event = 0;
  };
  struct Read {
    std::uint32_t block = no_block;
    simt::LaneMask lanes = 0;
    Moment moment = 0;
    std::uint16_t warp = 0, site = 0;
  };
  /// In the first block that accessed the cell.
  struct First {
    std::uint32_t block = no_block;
    std::uint16_t thread = 0, site = 0;
  };

  Write write;                // the last one
  Write weak_write;           // where `write` is strong: the last one that was not
  std::array<Read, 2> reads;  // the last ones, of different warps
  First first_write, first_read;
  std::uint32_t strong_block = no_block;  // of the last strong access
  std::uint32_t value = 0;                // of the first write
  /// How many blocks wrote it, at most 65,535.
  std::uint16_t writing_blocks = 0;
  /// Writes of different values, or of values that are unknown.
  bool has_different_values = false;
  /// A thread wrote what it computed from the cell itself.
  bool is_updated = false;
  /// Each write was of a thread that had read the cell, and of a value that was not loaded: a flag that is set once.
  bool is_flag = true;
};

/// The cells of the global memory that the blocks of one host thread accessed.
class GlobalShadow {
 public:
  static constexpr std::uint64_t page_bytes = 4096;

  struct Page {
    /// [B] of a cell: 4, 2 or 1
    std::uint32_t grain = 4;
    std::vector<GlobalCell> cells;
  };

  /// The page of an address with cells of at most `grain` bytes; nullptr when the memory for cells is used up.
  Page* page(std::uint64_t address, std::uint32_t grain);
  const std::unordered_map<std::uint64_t, Page>& pages() const { return pages_; }
  /// Whether some accesses were left out.
  bool is_partial() const { return is_partial_; }

  /// Cells of `grain` bytes from larger ones.
  static void refine(Page& page, std::uint32_t grain);

 private:
  std::unordered_map<std::uint64_t, Page> pages_;  // by address / page_bytes
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  std::uint64_t bytes_ = 0;
  bool is_partial_ = false;
};

/// The value of one cell of a page of grain-byte cells, of a cell of `bytes` that it is a part of.
std::uint32_t part_of_value(std::uint32_t value, std::uint32_t part, std::uint32_t grain);

}  // namespace tilescope
