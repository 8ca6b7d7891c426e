#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace tilescope::cuda {

/// Places to look for CUPTI, the library of hardware counters.
struct CuptiSearch {
  /// TILESCOPE_CUDA: when set, no other place is searched.
  std::filesystem::path toolkit;
  /// The downloaded packages: cuda/lib and cuda12/lib.
  std::filesystem::path dependencies;
  /// The CUDA version that this machine's driver supports: CUPTI of a newer major version does not initialise on it.
  std::optional<std::pair<int, int>> driver_cuda;
};

/// CUPTI as found: a version, or why there is none.
struct CuptiReport {
  /// CUPTI's API version: 130000 for CUDA 13.0, 28 for 12.9 update 1.
  std::optional<unsigned> version;
  std::filesystem::path library;
  /// "" when there is a version; else what was looked for, where, and what to install.
  std::string why_absent;
};

/// The CUDA major version of a CUPTI API version: 13 for 130000, 12 for 28.
int cuda_major_of_cupti(unsigned version);

/// Opens CUPTI and queries its version. Needs no GPU.
CuptiReport find_cupti(const CuptiSearch& search);

}  // namespace tilescope::cuda
