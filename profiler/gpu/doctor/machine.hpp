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

/// The machine that the checks examine: this one, or an invented one in a test.
struct Machine {
  Installation installation;
  /// TILESCOPE_CUDA, "" when not set.
  std::filesystem::path toolkit;
  /// PATH
  std::string path;
  /// The CUDA version that the driver supports, {12, 4}; none without a usable driver.
  std::optional<std::pair<int, int>> driver_cuda;
  /// "550.54 (CUDA 12.4)"
  std::string driver_version;
  /// Their names.
  std::vector<std::string> gpus;
  /// The missing part and how to install it; "" with a driver and a GPU.
  std::string why_no_driver;
  /// Space available to this user on the file system of a folder [B]; none when unknown.
  std::function<std::optional<std::uintmax_t>(const std::filesystem::path&)> free_bytes;
};

/// This machine: reads the environment and opens the driver.
Machine look_at_machine(const Installation& installation);

/// The folder itself, or its nearest existing parent, in which it would be made.
std::filesystem::path nearest_existing(std::filesystem::path folder);

}  // namespace tilescope
