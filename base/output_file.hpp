#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilescope {

/// An output that cannot be written: "r.md cannot be written: No space left on device".
class UnwritableFile : public std::runtime_error {
 public:
  UnwritableFile(const std::filesystem::path& file, const std::string& reason);
};

/// Writes what a user asked for to the file that the user named. A regular file is replaced (replace_file) or made. A pipe,
/// a terminal or a device takes the bytes as they are, and /dev/stdout or /dev/fd/N also where it is a regular file: what
/// it holds stays. Throws UnwritableFile.
void write_output_file(const std::filesystem::path& file, std::string_view bytes);

/// write_output_file() without waiting until a regular file is on the disk, which takes longer than a small picture. A new
/// one that cannot be written whole is removed.
void write_output_file_unflushed(const std::filesystem::path& file, std::string_view bytes);

/// Whether a file of this name takes bytes as they are, whatever its name ends with.
bool is_pipe_or_device(const std::filesystem::path& file);

/// Whether bytes to this file come out where those to stdout do. Not for a device such as /dev/null, which takes both.
bool is_standard_output(const std::filesystem::path& file);

}  // namespace tilescope
