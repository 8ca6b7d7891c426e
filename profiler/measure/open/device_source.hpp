#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

/// The device code of a file with host code, in a form that NVRTC takes.
struct DeviceSource {
  /// The lines of the file, those of host functions and of headers that NVRTC does not have as blanks.
  std::string text;
  /// Templates of kernels with the arguments that the host code launches them with: "gemm<64, 8>".
  std::vector<std::string> instances;
};

/// `folders`: where headers are looked for. `known`: as CudaSource::evaluate takes it.
DeviceSource device_source(const std::string& text, const CudaSource& source,
                           const std::vector<std::filesystem::path>& folders, const KnownValue& known);

}  // namespace tilescope
