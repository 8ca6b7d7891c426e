#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// A program of the CUDA Toolkit that is installed here.
struct CudaTool {
  std::filesystem::path program;
  /// "13.0.88"
  std::string version;
};

/// The files of this name in the folders of PATH, whether they exist or not.
std::vector<std::filesystem::path> places_in_path(const std::string& path, const std::string& name);

/// The first of these files that runs and reports its version as NVIDIA's tools do. `complaints` gets a sentence for
/// every program that does not.
std::optional<CudaTool> find_cuda_tool(const std::vector<std::filesystem::path>& places,
                                       std::vector<std::string>& complaints);

}  // namespace tilescope
