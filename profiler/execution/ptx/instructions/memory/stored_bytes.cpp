#include "profiler/execution/ptx/instructions/memory/stored_bytes.hpp"

#include <cstring>

#include "profiler/execution/ptx/instructions/memory/load_store_handlers.hpp"

namespace tilescope::ptx {

std::array<std::byte, 16> stored_bytes(const Warp& warp, const Instruction& store, unsigned lane) {
  const auto register_bytes = static_cast<std::size_t>(LoadStoreForm::unpack(store.flags).register_bytes);
  std::array<std::byte, 16> bytes{};
  for (std::size_t e = 0; e < store.count; ++e) {
    const Slot slot = store.count == 1 ? store.b : warp.operands(store)[e];
    // If a register is wider than the element, its low bytes are stored.
    std::memcpy(bytes.data() + e * store.width, warp.read<std::byte>(slot) + register_bytes * lane,
                store.width);
  }
  return bytes;
}

}  // namespace tilescope::ptx
