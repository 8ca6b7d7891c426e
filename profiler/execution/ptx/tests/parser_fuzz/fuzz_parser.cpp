#include <cstddef>
#include <cstdint>
#include <string>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"

// Called by libFuzzer: parses any text and, if that succeeds, decodes every kernel in it. Both may reject it with an
// error; everything else is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope::ptx;
  try {
    const Module module = parse(std::string(reinterpret_cast<const char*>(data), size));
    for (const Function& function : module.functions) {
      if (!function.is_entry) continue;
      try {
        build_program(module, function.name);
      } catch (const PtxError&) {
      }
    }
  } catch (const PtxError&) {
  }
  return 0;
}
