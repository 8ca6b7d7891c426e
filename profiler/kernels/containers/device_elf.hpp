#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Facts that a piece of device code says of itself.
struct DeviceCodeFacts {
  /// "sm_89", "sm_90a"; "" where it does not say.
  std::string architecture;
  /// Mangled names, in the order of the file.
  std::vector<std::string> kernels;
};

/// Reads the sections of a cubin of CUDA 11 to 13; what cannot be read is left out. It has no kernel where it is not ELF.
DeviceCodeFacts facts_of_cubin(std::string_view cubin);
/// Reads .target and .entry of PTX.
DeviceCodeFacts facts_of_ptx(std::string_view ptx);

}  // namespace tilescope
