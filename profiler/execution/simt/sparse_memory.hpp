#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tilescope::simt {

/// Calls `use` with each piece of such memory that is not zero everywhere: its first byte, from the memory's start, and its
/// bytes. Reads no page that nothing has touched.
void for_each_touched_piece(
    const std::byte* data, std::uint64_t bytes,
    const std::function<void(std::uint64_t first, std::span<const std::byte> piece)>& use);

/// Zeros that take memory only where they are touched.
class SparseMemory {
 public:
  /// [B] Throws std::bad_alloc where no address space is left.
  explicit SparseMemory(std::uint64_t bytes);
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory();

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace tilescope::simt
