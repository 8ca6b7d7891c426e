#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/sparse_memory.hpp"

/// The addresses that a kernel sees.
namespace tilescope::simt {

enum class Space : std::uint8_t { generic, global, shared, local, param, constant };
std::string_view name_of(Space space);

/// Windows of the generic address space. A generic address inside a window belongs to that state space, every other one
/// is global.
inline constexpr std::uint64_t shared_window = 0x7f00'0000'0000;
inline constexpr std::uint64_t local_window = 0x7e00'0000'0000;
inline constexpr std::uint64_t param_window = 0x7d00'0000'0000;
inline constexpr std::uint64_t window_bytes = 0x1'0000'0000;
/// The space that a generic address belongs to.
constexpr Space space_of_generic(std::uint64_t address) {
  if (address - shared_window < window_bytes) return Space::shared;
  if (address - local_window < window_bytes) return Space::local;
  return address - param_window < window_bytes ? Space::param : Space::global;
}
/// Addresses of module-scope variables, followed by the addresses of allocations.
inline constexpr std::uint64_t module_memory_base = 0x7000'0000'0000;
inline constexpr std::uint64_t allocation_base = 0x5000'0000'0000;

/// A piece of global memory. Addresses outside every allocation fault. At least 2 MiB between two allocations are
/// unused, so that no overrun reaches the next one.
struct Allocation {
  /// "Q", "O", a variable's name
  std::string name;
  /// A multiple of 256.
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  bool read_only = false;
  /// Its untouched parts are zeros that take no memory.
  bool is_sparse = false;
};

class GlobalMemory {
 public:
  /// New memory, filled with `fill`. Returns its address. Throws std::bad_alloc.
  std::uint64_t allocate(const std::string& name, std::uint64_t bytes, std::byte fill = std::byte{0});
  /// New memory of zeros, which is committed only where it is touched. Returns its address. Throws std::bad_alloc.
  std::uint64_t allocate_sparse(const std::string& name, std::uint64_t bytes);
  /// Adds memory that the caller owns, which must outlive the launches; never written when read-only.
  std::uint64_t attach(const std::string& name, std::byte* data, std::uint64_t bytes, bool read_only);
  /// Like allocate, at a fixed address below the end of allocation_base, for module variables.
  void place(const std::string& name, std::uint64_t address, std::vector<std::byte> initial, bool read_only);

  /// The allocation that holds [address, address + bytes), or nullptr.
  const Allocation* find(std::uint64_t address, std::uint64_t bytes) const;
  /// The allocation nearest below or around an address, for messages; nullptr when there is none.
  const Allocation* nearest(std::uint64_t address) const;
  /// By ascending address.
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  /// At the next free address.
  std::uint64_t attach(Allocation allocation);
  void insert(Allocation allocation);
  std::vector<Allocation> allocations_;
  std::vector<std::unique_ptr<std::byte[]>> owned_;
  std::vector<std::unique_ptr<SparseMemory>> sparse_;
  std::uint64_t next_ = allocation_base;
};

}  // namespace tilescope::simt
