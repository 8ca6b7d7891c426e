#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/installation.hpp"

namespace tilescope {

/// What the checks look at: this machine, or in a test one that is made up.
struct Machine {
  Installation installation;
  std::filesystem::path toolkit;  ///< TILESCOPE_CUDA, "" when it is not set.
  /// The CUDA version that the driver takes, {12, 4}; none without a usable driver.
  std::optional<std::pair<int, int>> driver_cuda;
  std::string driver_version;     ///< "550.54 (CUDA 12.4)"
  std::vector<std::string> gpus;  ///< By their names.
  std::string why_no_driver;      ///< What is missing and what to do, "" with a driver and a GPU.
  /// Free for this user on the file system of a folder [B], none when it cannot be asked.
  std::function<std::optional<std::uintmax_t>(const std::filesystem::path&)> free_bytes;
};

/// This machine: the environment is read and the driver opened.
Machine look_at_machine(const Installation& installation);

/// The folder itself, or the nearest one above it that exists: what a folder will be made in.
std::filesystem::path nearest_existing(std::filesystem::path folder);

}  // namespace tilescope
