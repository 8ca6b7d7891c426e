#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace tilescope {

/// A file that is not read: "k.cu: it is a pipe; only regular files are read".
class UnreadableFile : public std::runtime_error {
 public:
  /// `error` is errno where the system refused, 0 where this program does.
  UnreadableFile(const std::filesystem::path& file, const std::string& reason, int error = 0);

  /// Message without the file's name.
  const std::string& reason() const { return reason_; }
  /// Whether there is no file of this name.
  bool is_missing() const;

 private:
  std::string reason_;
  int error_;
};

/// The message of an error, without the file's name where it has one: for a message that names the file itself.
std::string reason_without_file(const std::exception& error);

/// The bytes of a regular file of at most `max_bytes`, links followed. Never waits for a pipe or a device, and never
/// reads more than the limit, also from a file that grows or does not know its size (/proc). Throws UnreadableFile.
std::string read_regular_file(const std::filesystem::path& file, std::uint64_t max_bytes);

}  // namespace tilescope
