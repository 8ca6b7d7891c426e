#include "profiler/execution/simt/observer.hpp"

#include <array>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::simt {

std::string_view name_of(Pipe pipe) {
  constexpr std::array<std::string_view, pipe_count> names = {
      "fma", "alu", "mufu", "lsu", "tensor", "control", "fp64", "convert", "uniform", "other"};
  return names[static_cast<std::size_t>(pipe)];
}

std::string_view name_of(Access access) {
  constexpr std::array<std::string_view, 9> names = {
      "load",        "store",        "atomic",      "async_copy_read", "async_copy_issue", "async_copy_write",
      "matrix_load", "matrix_store", "atomic_count"};
  return names[static_cast<std::size_t>(access)];
}

void report_fence(Warp& warp, const Instruction& at) {
  if (Observer* observer = warp.block().observer; observer != nullptr) observer->fence(warp, at);
}

}  // namespace tilescope::simt
