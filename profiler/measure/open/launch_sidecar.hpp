#pragma once

#include <filesystem>

namespace tilescope {

/// The file that has the launch of a kernel's file: "softmax.launch.json" beside "softmax.cu". Written by `open
/// --declare`, and read by `open` in place of guesses.
inline std::filesystem::path launch_sidecar(const std::filesystem::path& file) {
  return std::filesystem::path(file).replace_extension(".launch.json");
}

}  // namespace tilescope
