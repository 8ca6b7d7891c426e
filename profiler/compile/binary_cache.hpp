#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiler/compile/nvrtc.hpp"

namespace tilescope {

/// Compiled kernels on disk, by the hash of everything that went into them. Entries carry a checksum: a damaged one is
/// compiled again. Several processes may use one folder.
class BinaryCache {
 public:
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<NvrtcOutput> find(const std::string& key) const;
  /// Returns false when the folder cannot be written; compiling then continues without a cache.
  bool keep(const std::string& key, const NvrtcOutput& output) const;
  /// Removes the entries that were used longest ago until at most `bytes` are left.
  void prune(std::uintmax_t bytes) const;

 private:
  std::filesystem::path file_for(const std::string& key) const;
  std::filesystem::path folder_;
};

}  // namespace tilescope
