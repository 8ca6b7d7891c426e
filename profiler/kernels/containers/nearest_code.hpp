#pragma once

#include <string>
#include <vector>

#include "profiler/kernels/containers/found_code.hpp"

namespace tilescope {

/// The code of a file for an architecture, and why it is that one.
struct NearestCode {
  /// nullptr where none runs on it. Points into the list that was given.
  const FoundCode* code = nullptr;
  /// "it has machine code for sm_89", "no machine code for sm_89; that of sm_86 runs on it"
  std::string reason;
};

/// The choice of a driver for `architecture` ("sm_89"): a cubin for it; else the newest cubin of the same major
/// version below it; else the newest PTX for it or below. Code for one GPU alone (sm_90a) is taken only for that one.
/// Among several with the same architecture the first one: give those that have the kernel.
NearestCode nearest(const std::vector<FoundCode>& codes, const std::string& architecture);

}  // namespace tilescope
