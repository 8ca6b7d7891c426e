#include "profiler/execution/simt/sparse_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tilescope::simt {

SparseMemory::SparseMemory(std::uint64_t bytes) : bytes_(std::max<std::uint64_t>(bytes, 1)) {
  void* const data =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(data);
}

SparseMemory::~SparseMemory() {
  munmap(data_, bytes_);
}

}  // namespace tilescope::simt
