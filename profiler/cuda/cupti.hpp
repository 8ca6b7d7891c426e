#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilescope::cuda {

/// Where CUPTI, the library of hardware counters, may lie.
struct CuptiSearch {
  std::filesystem::path toolkit;       ///< TILESCOPE_CUDA: when set, nothing else is looked at.
  std::filesystem::path dependencies;  ///< The downloaded packages: cuda/lib.
};

/// CUPTI as it was found: a version, or in words why there is none.
struct CuptiReport {
  std::optional<unsigned> version;  ///< CUPTI's API version: 130000 and the like.
  std::filesystem::path library;
  std::string why_absent;  ///< "" when there is one; else what was looked for, where, and what to install.
};

/// Opens CUPTI and asks for its version. Needs no GPU.
CuptiReport find_cupti(const CuptiSearch& search);

}  // namespace tilescope::cuda
