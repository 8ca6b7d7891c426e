#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {

/// The identity and state of the file at a path: differs after any other program has written it.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  /// [B]
  off_t size = 0;
  /// [s] and [ns] of the last change
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

/// The absolute path of a file with its links followed, also where there is no such file.
std::filesystem::path real_path(const std::filesystem::path& file);

/// The stamp of the file at a path, none if there is no file.
std::optional<FileStamp> file_stamp(const std::filesystem::path& file);

/// Replaces `file` by `pieces`, one after the other: writes a temporary file beside it, flushes it to the disk, renames
/// it over the file and flushes the folder, so that a crash at any moment leaves the old file or the new one. Follows a
/// symbolic link and keeps the file's permissions. Throws std::system_error with what could not be done; the old file
/// is then untouched and the temporary one removed.
void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& pieces);

}  // namespace tilescope
