#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope::simt {

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
