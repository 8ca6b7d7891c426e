#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/cache_folder.hpp"

namespace tilescope {

/// Files in one folder by a key, each with its key, the folder's name and a checksum: one that was changed, or copied from
/// another key or folder, is as good as none. Several processes may use one folder.
class FileCache {
 public:
  /// `extension`: ".cbor"
  FileCache(std::filesystem::path folder, std::string extension)
      : folder_(std::move(folder)), extension_(std::move(extension)) {}

  /// The bytes that were kept; counts as a use.
  std::optional<std::string> find(const std::string& key) const;
  /// Returns false when the folder cannot be written.
  bool keep(const std::string& key, std::string_view bytes) const;
  /// Removes the files that were used longest ago until at most `bytes` are left.
  void prune(std::uintmax_t bytes) const;

 private:
  std::string head_of(const std::string& key) const;

  CacheFolder folder_;
  std::string extension_;
};

}  // namespace tilescope
