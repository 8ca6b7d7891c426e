#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {

/// Which file lies at a path, and in which state: differs after any other program has written it.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;              ///< [B]
  std::int64_t changed_s = 0;  ///< [s] and [ns] of the last change
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

/// The stamp of the file at a path, none where there is no file.
std::optional<FileStamp> file_stamp(const std::filesystem::path& file);

/// Puts `pieces`, one after the other, in the place of `file`: a temporary file beside it, flushed to the
/// disk and renamed over it, then the folder flushed, so that a crash at any moment leaves the old file or
/// the new one. A symbolic link is followed and the file's permissions are kept. Throws std::system_error
/// with what could not be done; the old file is then untouched and the temporary one gone.
void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& pieces);

/// The same for a file of a cache, whose folder is made. Returns false where it cannot be written, for a caller that goes
/// on without it.
bool write_cache_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tilescope
