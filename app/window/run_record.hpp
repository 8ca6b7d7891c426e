#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace tilescope {

/// The place of a session's points.
struct SessionPlace {
  /// File that the user named; empty for none.
  std::filesystem::path session;
  /// File that keeps unsaved points; empty for none.
  std::filesystem::path autosave;

  bool operator==(const SessionPlace&) const = default;
};

/// A file that says which session a running window has open. The window holds a lock on it, which the system
/// releases when the process ends, however it ends: an unlocked file belongs to a window that did not end in
/// order.
class RunRecord {
 public:
  /// Looks at the records in `folder` and starts one. A folder that cannot be written means no record.
  explicit RunRecord(const std::filesystem::path& folder);
  /// The window ends in order.
  ~RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// The newest session that a window left without ending in order and whose points are still kept. Said once: its
  /// record is gone.
  const std::optional<SessionPlace>& left_behind() const { return left_behind_; }
  /// Whether a window that ran when this one started had the session open: two would write one autosave.
  bool is_open_elsewhere(const SessionPlace& place) const;
  /// Cheap where nothing changed.
  void note(const SessionPlace& place);

 private:
  void take_left_behind(const std::filesystem::path& folder);

  std::optional<SessionPlace> left_behind_;
  std::vector<SessionPlace> open_elsewhere_;
  std::filesystem::path file_;
  int descriptor_ = -1;
  SessionPlace noted_;
};

}  // namespace tilescope
