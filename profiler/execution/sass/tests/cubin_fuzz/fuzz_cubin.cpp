#include <cstddef>
#include <cstdint>

#include "profiler/execution/sass/cubin.hpp"

// Called by libFuzzer: reads any bytes as a cubin. It may refuse them with a CubinError; everything else is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope::sass;
  try {
    const Cubin cubin = read_cubin({reinterpret_cast<const char*>(data), size});
    cubin.kernel(cubin.kernels.front().name);
  } catch (const CubinError&) {
  }
  return 0;
}
