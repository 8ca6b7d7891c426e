#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "base/unread_members.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The version of the file format that this program writes. Older ones are migrated, newer ones refused.
inline constexpr int session_format_version = 3;

/// The largest session that is read and written: 100,000 points and more. [B]
inline constexpr std::uint64_t session_file_limit = std::uint64_t{1} << 30U;

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
  std::vector<SharedMeasurement> points;
  /// The unknown members of the session and of its sources, without its points'.
  UnknownMembers unknown;
  /// The unknown members of the points that have any.
  std::map<SharedMeasurement, UnknownMembers> unknown_of_points;
};

/// A session that cannot be read or written: the message has the file, the place and the reason.
class SessionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a session file. Throws SessionError when it is not a valid session, newer than this program, or unreadable.
Session load_session(const std::filesystem::path& file);
/// Loads a text in memory; `file` is the name in errors.
Session parse_session(const std::string& text, const std::filesystem::path& file);

/// The text of a session's file.
std::string session_text(const Session& session);

/// Writes sessions by atomic replace (replace_file), one program at a time (FileLock). Points that were written before
/// are not serialised again, so that writing after every point stays cheap. Never overwrites an invalid or newer
/// session.
class SessionWriter {
 public:
  explicit SessionWriter(std::filesystem::path file);
  /// For a session that was read when its file had this stamp.
  SessionWriter(std::filesystem::path file, std::optional<FileStamp> stamp);

  /// Reads the session that is to be updated; nothing where there is no file or an empty one. Throws SessionError.
  std::optional<Session> read();
  /// In the place of read(): the points that the file had when the caller read them.
  void assume(std::vector<SharedMeasurement> points);

  /// Writes the session as it is. Throws SessionError (read-only folder, full disk, a file that another program has
  /// written since this writer was made or has last written); the old file is then untouched.
  void write(const Session& session);

  /// Brings into `session` what other programs have written since, lets `change` add to it, and writes it, while no
  /// other program writes the file: waits for those that do. Nothing is written where `change` returns false and all is
  /// in the file already. Throws SessionError as write() does; `session` has the changes nevertheless, and the next
  /// update writes them.
  void update(Session& session, const std::function<bool(Session&)>& change,
              const LockPatience& patience = {});

  const std::filesystem::path& file() const { return file_; }
  /// The file as this writer knows it.
  const std::optional<FileStamp>& stamp() const { return stamp_; }

 private:
  std::unique_ptr<FileLock> lock(const LockPatience& patience) const;
  void refuse_foreign_file();
  void take_in(Session& session);
  void replace(const Session& session);
  void serialise_new_points(const Session& session);

  std::filesystem::path file_;
  /// The file when this writer last wrote or read it.
  std::optional<FileStamp> stamp_;
  /// True once the file's contents at this stamp were written or read here.
  bool knows_file_ = false;
  bool has_written_ = false;
  /// Points of the file at this stamp.
  std::vector<SharedMeasurement> in_file_;
  std::vector<std::pair<SharedMeasurement, std::string>> written_;
};

}  // namespace tilescope
