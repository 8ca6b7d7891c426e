#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/execution/memory/float_form.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// A tensor in global memory whose stores are recorded.
struct WatchedTensor {
  std::uint64_t address = 0;
  /// [B]
  std::uint64_t bytes = 0;
  /// [B]
  std::uint64_t element_bytes = 2;
  /// With TraceOptions::check, NaN among such elements are looked for; none for whole numbers.
  FloatKind kind = FloatKind::none;
};

/// Elements [first, end) of a tensor.
struct ElementRange {
  std::int64_t first = 0, end = 0;
  bool operator==(const ElementRange&) const = default;
};

/// Sorts the ranges and joins those that touch or overlap.
void join_ranges(std::vector<ElementRange>& ranges);
std::int64_t elements_in(const std::vector<ElementRange>& ranges);

/// The elements of the watched tensor that one block wrote.
struct BlockWrites {
  /// Its linear index.
  std::uint64_t block = 0;
  /// Joined.
  std::vector<ElementRange> written;
  bool operator==(const BlockWrites&) const = default;
};

/// Records the elements of a tensor to which the blocks of one host thread store, by st, matrix stores and atomics.
class OutputWrites : public simt::Observer {
 public:
  explicit OutputWrites(const WatchedTensor& tensor) : tensor_(tensor) {}

  void begin_block(const simt::Block& block) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void end_block(const simt::Block& block) override;

  const std::vector<BlockWrites>& blocks() const { return blocks_; }

 private:
  WatchedTensor tensor_;
  std::vector<ElementRange> current_;  // in the order of the stores
  std::size_t worth_joining_ = 0;
  std::vector<BlockWrites> blocks_;
};

}  // namespace tilescope
