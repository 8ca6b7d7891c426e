#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sessions/session.hpp"

namespace tilescope {

/// The open session and its file. The file that the user named changes when it is saved, and at no other
/// time. Every point is kept soon after it is added in another file, the autosave, on a thread of its own, so
/// that a crash loses at most the point in flight and the window never waits for a disk. Called from the
/// window's thread only.
class SessionDocument {
 public:
  /// `wake` is called from another thread whenever a write ended.
  SessionDocument(std::filesystem::path autosave_folder, std::function<void()> wake);
  /// Writes what is not yet written.
  ~SessionDocument();
  SessionDocument(const SessionDocument&) = delete;
  SessionDocument& operator=(const SessionDocument&) = delete;

  const Session& session() const { return session_; }
  /// The file that the user named; empty for a session without a name.
  const std::filesystem::path& file() const { return file_; }
  /// File that keeps unsaved points meanwhile; empty if there are none.
  const std::filesystem::path& autosave_file() const { return autosave_file_; }
  /// "sweep.json", or "Untitled".
  std::string title() const;
  /// True while the points differ from the file that the user named: not yet saved, or without a name.
  bool is_dirty() const;
  /// True for a named session with unsaved changes: closing it asks.
  bool needs_saving() const { return !file_.empty() && is_changed_; }
  /// True while something is handed to the writer and not yet on the disk.
  bool is_writing() const;
  /// Whether all that was to be written has been written since the last call.
  bool take_end_of_writing();

  /// Both return the former session; what of it is not yet written goes to the disk nevertheless.
  Session new_session();
  /// Takes the session that was read from `file`, which had this stamp before.
  Session adopt(Session session, const std::filesystem::path& file, std::optional<FileStamp> stamp);
  /// Takes a session that was kept in `autosave` and continues it there. `file` is its name, empty for none.
  /// `autosave_stamp` is the stamp of `autosave` before it was read.
  Session recover(Session session, const std::filesystem::path& autosave, const std::filesystem::path& file,
                  std::optional<FileStamp> autosave_stamp);
  /// Writes the session as it is now to its own file or, given one, to that, which is its name from now on. Throws
  /// SessionError when it has no name.
  void begin_saving(const std::filesystem::path& file = {});
  /// How a save ended.
  struct Saved {
    std::filesystem::path file;
    /// "" when it lies there; else the session has its former name again.
    std::string error;
    /// Stamp of the file that was written.
    std::optional<FileStamp> stamp;
    /// Counts the changes of the session up to the save.
    std::int64_t changes = 0;
  };
  /// Once for each save, after it has ended.
  std::optional<Saved> take_saved();

  /// `sources` are what the point was compiled from, by SHA-256; those that are known already are left as
  /// they are.
  void add_point(SharedMeasurement point, const std::map<std::string, SourceFile>& sources);

  /// Puts another point in its place. Returns whether it was there.
  bool replace_point(const SharedMeasurement& point, SharedMeasurement replacement);

  /// Returns whether it was there.
  bool remove_point(const SharedMeasurement& point);

  /// Errors of writing, each sentence once until a write succeeds again. Emptied by the call.
  std::vector<std::string> take_errors();
  /// Waits until everything is written or has failed. From any thread.
  void flush();

 private:
  class Writer;

  std::filesystem::path choose_autosave_file();
  Session start_fresh(Session session, std::filesystem::path file);
  void note_change();
  void remove_autosave();

  std::filesystem::path autosave_folder_;
  Session session_;
  std::filesystem::path file_;
  /// Stamp of file_ as it was read or written here: another program's changes are not written over.
  std::optional<FileStamp> stamp_;
  std::filesystem::path autosave_file_;
  /// The file of a recovered autosave and its points, as they were read.
  std::optional<FileStamp> autosave_stamp_;
  std::vector<SharedMeasurement> recovered_;
  /// The points differ from file_.
  bool is_changed_ = false;
  /// How often they have changed.
  std::int64_t changes_ = 0;
  /// For autosaves: a former session's may not yet be written.
  std::set<std::filesystem::path> chosen_files_;
  /// While a save to another file is under way.
  std::filesystem::path former_file_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace tilescope
