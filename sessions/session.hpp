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

/// What was measured: points and the sources that they were compiled from. A point never changes once it is
/// in.
struct Session {
  std::string title;
  std::string created_utc;                    ///< ISO 8601
  std::string tilescope_version;              ///< Of the program that created it.
  std::map<std::string, SourceFile> sources;  ///< By SHA-256 of the source, Provenance::source_sha256.
  std::vector<std::shared_ptr<const Measurement>> points;
};

/// A session that cannot be read or written: the message has the file, the place and the reason.
class SessionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a session file. Throws SessionError when it is damaged, newer than this program, or unreadable.
Session load_session(const std::filesystem::path& file);
/// The same from text that is in memory; `file` is what errors name.
Session parse_session(const std::string& text, const std::filesystem::path& file);

/// Writes sessions by atomic replace: a temporary file beside it, flushed to the disk, renamed over it.
/// Points that were written before are not serialised again, so that writing after every point stays cheap.
/// A damaged or newer session is never overwritten, nor one that another program has written since this
/// writer was made: load the session and make its writer together.
class SessionWriter {
 public:
  explicit SessionWriter(std::filesystem::path file);

  /// Throws SessionError (read-only folder, full disk, a file that is not ours to replace); the old file is
  /// then untouched.

  void write(const Session& session);
  const std::filesystem::path& file() const { return file_; }

 private:
  void refuse_foreign_file();
  void serialise_new_points(const Session& session);

  std::filesystem::path file_;
  std::optional<FileStamp> stamp_;  ///< The file as this writer last saw it.
  bool owns_file_ = false;          ///< What lies there was written by us.
  std::vector<std::pair<std::shared_ptr<const Measurement>, std::string>> written_;
};

}  // namespace tilescope
