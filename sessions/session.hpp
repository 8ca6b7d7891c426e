#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sessions/atomic_file.hpp"
#include "sessions/measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The version of the file format that this program writes. Older ones are migrated, newer ones refused.
inline constexpr int session_format_version = 2;

/// In the file's field `format`.
inline constexpr const char* session_format_name = "tilescope-session";

/// Points and the sources from which they were compiled. A point never changes once it was added.
struct Session {
  std::string title;
  /// ISO 8601
  std::string created_utc;
  /// Version of the program that created it.
  std::string tilescope_version;
  /// By SHA-256 of the source, Provenance::source_sha256.
  std::map<std::string, SourceFile> sources;
  std::vector<std::shared_ptr<const Measurement>> points;
};

/// A session that cannot be read or written: the message has the file, the place and the reason.
class SessionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a session file. Throws SessionError when it is not a valid session, newer than this program, or unreadable.
Session load_session(const std::filesystem::path& file);
/// The same for a text in memory; `file` is the name in errors.
Session parse_session(const std::string& text, const std::filesystem::path& file);

/// Writes sessions by atomic replace (replace_file). Points that were written before are not serialised again, so that
/// writing after every point stays cheap. Never overwrites an invalid or newer session, nor one that another program
/// has written since this writer was made: load the session and make its writer together.
class SessionWriter {
 public:
  explicit SessionWriter(std::filesystem::path file);
  /// For a session that was read when its file had this stamp.
  SessionWriter(std::filesystem::path file, std::optional<FileStamp> stamp);

  /// Throws SessionError (read-only folder, full disk, a file that must not be replaced); the old file is then
  /// untouched.
  void write(const Session& session);
  const std::filesystem::path& file() const { return file_; }
  /// The file as this writer knows it.
  const std::optional<FileStamp>& stamp() const { return stamp_; }

 private:
  void refuse_foreign_file();
  void serialise_new_points(const Session& session);

  std::filesystem::path file_;
  /// The file when this writer last wrote or read it.
  std::optional<FileStamp> stamp_;
  /// The file was written by this writer.
  bool owns_file_ = false;
  std::vector<std::pair<std::shared_ptr<const Measurement>, std::string>> written_;
};

}  // namespace tilescope
