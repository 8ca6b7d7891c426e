#include "profiler/execution/simt/sparse_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <vector>

namespace tilescope::simt {

SparseMemory::SparseMemory(std::uint64_t bytes) : bytes_(std::max<std::uint64_t>(bytes, 1)) {
  void* const data =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(data);
}

void for_each_touched_piece(
    const std::byte* data, std::uint64_t bytes,
    const std::function<void(std::uint64_t first, std::span<const std::byte> piece)>& use) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t pages_at_once = std::uint64_t{1} << 18U;
  std::vector<unsigned char> is_present(std::min(pages_at_once, (bytes + page - 1) / page));
  for (std::uint64_t part = 0; part < bytes; part += pages_at_once * page) {
    const std::uint64_t length = std::min(bytes - part, pages_at_once * page);
    // mincore takes a pointer to bytes that it does not change.
    if (mincore(const_cast<std::byte*>(data) + part, length, is_present.data()) != 0)
      std::ranges::fill(is_present, 1);
    for (std::uint64_t first = part; first < part + length; first += page) {
      if ((is_present[(first - part) / page] & 1U) == 0) continue;
      const std::span piece(data + first, std::min(page, bytes - first));
      if (std::ranges::any_of(piece, [](std::byte one) { return one != std::byte{0}; })) use(first, piece);
    }
  }
}

SparseMemory::~SparseMemory() {
  munmap(data_, bytes_);
}

}  // namespace tilescope::simt
