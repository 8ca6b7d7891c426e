#pragma once

#include <map>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The hash of each kernel's source as its files are now (Provenance::source_sha256), by kernel. A kernel whose files
/// are not known has none.
using CurrentSources = std::map<std::string, std::string>;

/// Whether a point was compiled from another source than the kernel has now. False where either is not known.
bool is_of_older_source(const Measurement& point, const CurrentSources& now);

/// True for the statuses that say something about the machine at that time, not about the kernel.
bool is_about_the_machine(Status status);
/// Whether a point that was measured unasked is kept: another is asked for again when it is visited.
bool is_worth_keeping(Status status);

/// The present kernel and device, which a stored point is compared with.
struct Circumstances {
  CurrentSources sources;
  /// Whether the point's device is in the machine that measures.
  bool device_present = false;
};

/// Worth of a stored point for its experiment.
enum class Standing {
  /// It stands, and is not asked for again.
  final,
  /// It was compiled from another source than the kernel has now, or it is not known from which.
  older_source,
  /// It was made without the GPU that is there now: it could be timed.
  could_be_timed,
  /// It says more about the machine at that time than about the kernel.
  inconclusive,
};

/// The one rule for what is final, and what is asked for again. A point that was measured on a GPU is final also where
/// that GPU is not present: it says more than what could be made there.
Standing standing_of(const Measurement& point, const Circumstances& now);

}  // namespace tilescope
