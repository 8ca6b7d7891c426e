#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// A folder of a cache. Its contents are only relied on where the caller and root alone may have put them there: other
/// folders are neither read nor written, as if there were no cache. Several processes may use one folder.
class CacheFolder {
 public:
  explicit CacheFolder(std::filesystem::path folder);

  const std::filesystem::path& path() const { return folder_; }
  /// Why the folder is not used, "" where it is.
  const std::string& problem() const { return problem_; }

  /// The bytes of a file. Nothing where there is none, or where something else has its name: a symbolic link, a pipe, a
  /// file of another user or one larger than `max_bytes`.
  std::optional<std::string> read(const std::string& name, std::uint64_t max_bytes) const;
  /// Puts a file in the place of whatever has its name; a symbolic link goes, and what it leads to stays as it is. Makes
  /// the folder. Returns false where it cannot be written, since callers continue without a cache.
  bool write(const std::string& name, std::string_view bytes) const;
  /// Sets the time of a file's last use to now.
  void touch(const std::string& name) const;

 private:
  std::filesystem::path folder_;
  std::string problem_;
};

}  // namespace tilescope
