#pragma once

#include <string>
#include <vector>

#include "sessions/session.hpp"

namespace tilescope {

/// A session as a cache file of Kernel Tuner.
struct KernelTunerCache {
  std::string text;
  std::size_t configurations = 0;
  /// Points omitted from the file and why, a sentence each.
  std::vector<std::string> left_out;
};

/// Points of one kernel, shape and device: a cache file holds no more. The newest point of each configuration
/// is taken; points that were only predicted are left out. Throws std::invalid_argument with the choices when
/// the session has several, and when it has no point.
KernelTunerCache kernel_tuner_cache(const Session& session);

}  // namespace tilescope
