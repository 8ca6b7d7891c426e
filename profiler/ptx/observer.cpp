#include "profiler/ptx/observer.hpp"

#include <array>

namespace tilescope::ptx {

std::string_view name_of(Access access) {
  constexpr std::array<std::string_view, 8> names = {
      "load",        "store",       "atomic", "async_copy_read", "async_copy_issue", "async_copy_write",
      "matrix_load", "matrix_store"};
  return names[static_cast<std::size_t>(access)];
}

}  // namespace tilescope::ptx
