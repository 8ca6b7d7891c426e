#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// [B] The largest file of machine code or PTX, and the largest launch with the contents of its buffers.
inline constexpr std::uint64_t subject_file_limit = std::uint64_t{256} << 20U;
/// [B] The largest file whose bytes go with a request: two of them, as base64, fit into one line of the protocol.
inline constexpr std::uint64_t sent_file_limit = std::uint64_t{16} << 20U;
/// [B] The bytes of arrays that go with a request, all together, beside two such files.
inline constexpr std::uint64_t sent_arrays_limit = std::uint64_t{8} << 20U;

/// A file for a worker: its bytes, or for one larger than sent_file_limit the path alone, from which the worker reads it.
struct SentFile {
  /// Absolute.
  std::string path;
  std::optional<std::string> contents;

  bool operator==(const SentFile&) const = default;
};
/// `limit`: where it is less than sent_file_limit, the largest file whose bytes are sent.
SentFile sent_file(const std::filesystem::path& path, std::string contents,
                   std::uint64_t limit = sent_file_limit);
/// Throws std::runtime_error where the worker cannot read the path.
std::string contents_of(const SentFile& file);

/// A .npy file that a launch names.
struct SentArray {
  /// As the launch names it.
  std::string name;
  SentFile file;

  bool operator==(const SentArray&) const = default;
};

/// A kernel of a PTX file or a cubin, and its launch.
struct FileSubject {
  SentFile code;
  /// May be empty where the file has only one kernel.
  std::string entry;
  /// See profiler/measure/files/launch_file.hpp. None for a kernel without arguments, in one block of one thread.
  std::optional<SentFile> launch;
  std::vector<SentArray> arrays;
  /// [s] Interpreting that takes longer ends as timed_out.
  double time_limit_s = 120;

  bool operator==(const FileSubject&) const = default;
};

/// The part of a FileSubject that cannot be used, whatever the kernel does.
enum class FileProblem {
  none,
  /// It is neither PTX nor a cubin, or it cannot be run.
  code,
  /// It has no kernel of the name, or several and no name is given.
  entry,
  /// The launch does not fit the kernel.
  launch,
};
std::string to_string(FileProblem problem);
/// Throws std::invalid_argument with the possible choices.
FileProblem file_problem_from(const std::string& text);

/// Reading throws DocumentError with the place.
void to_json(Json& json, const SentFile& file);
void from_json(const Json& json, SentFile& file);
void to_json(Json& json, const SentArray& array);
void from_json(const Json& json, SentArray& array);
void to_json(Json& json, const FileSubject& subject);
void from_json(const Json& json, FileSubject& subject);

}  // namespace tilescope
