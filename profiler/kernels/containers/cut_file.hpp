#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tilescope {

/// A regular file that is open for reading and may be large: parts of it are read, never all of it.
class CutFile {
 public:
  /// Never waits for a pipe or a device. Throws UnreadableFile.
  explicit CutFile(const std::filesystem::path& file);
  ~CutFile();
  CutFile(const CutFile&) = delete;
  CutFile& operator=(const CutFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// [B] when it was opened.
  std::uint64_t bytes() const { return bytes_; }
  /// The bytes from `begin` on, fewer at the end of the file. Throws UnreadableFile.
  std::string read(std::uint64_t begin, std::size_t bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace tilescope
