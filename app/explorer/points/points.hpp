#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/points/recorded_session.hpp"
#include "app/explorer/points/session_document.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/client/point_store.hpp"

namespace tilescope {

/// A session that is opened at the start, as it was left, moves nothing else.
enum class OpenedBy { person, start };

/// The points that are shown: the open session's, and recorded ones behind them.
class Points {
 public:
  /// `background` must wait for its tasks before the points go; the others must outlive them. `wake` is called from
  /// other threads when a write ended.
  Points(const Installation& installation, KernelList& kernels, BackgroundTasks& background, Notices& notices,
         const std::function<void()>& wake);

  /// Points of the open session, oldest first.
  const std::vector<SharedMeasurement>& list() const { return document_.session().points; }
  /// Points of the sessions opened behind it (Examples).
  const std::vector<SharedMeasurement>& recorded() const { return recorded_; }
  /// Counts up whenever list(), recorded() or what they are held against changes: panels keep what they derived until
  /// it does.
  std::uint64_t revision() const { return revision_; }
  void count_up() { ++revision_; }

  void add(const SharedMeasurement& point, const Experiment& asked);
  /// Adds a point of an opened file, whose source has no text where only machine code was opened. False where the session
  /// has it already: of the two, the one that names more values stays.
  bool add_of_file(const SharedMeasurement& point, const SourceFile& source);
  /// Puts a point that says more of the same in its place; returns whether it was there.
  bool replace(const SharedMeasurement& point, const SharedMeasurement& replacement, const Experiment& asked);
  /// Takes a point out of the open session; returns whether it was there.
  bool remove(const SharedMeasurement& point);
  /// Brings a removed point back, as the newest.
  void restore(const SharedMeasurement& point);
  bool is_recorded(const SharedMeasurement& point) const { return recorded_set_.contains(point.get()); }
  /// The source that a point was compiled from, by Provenance::source_sha256, from the open session or a
  /// recorded one. nullptr where none of them has it.
  const SourceFile* find_source(const std::string& sha256) const;
  /// Whether a point that is open, recorded ones too, has a latency, or a predicted one.
  bool has_latency() const;
  bool has_prediction() const;
  const PointStore& store() const { return store_; }
  /// Points made without a user's request, such as counted alternatives: they join the session only when the
  /// user chooses them.
  const PointStore& prefetched() const { return prefetched_; }
  /// The oldest goes where there are more than max_prefetched.
  void keep_prefetched(const SharedMeasurement& point, const Experiment& asked);
  static constexpr std::size_t max_prefetched = 256;
  /// Counts up whenever prefetched() gets a point.
  std::uint64_t prefetched_revision() const { return prefetched_revision_; }
  /// One of them was chosen: it becomes a point of the session.
  void take_prefetched(const SharedMeasurement& point, const Experiment& asked);
  /// It was not chosen after all. Nothing where the open session does not have it any more.
  void put_back_prefetched(const SharedMeasurement& point, const Experiment& asked);

  SessionDocument& document() { return document_; }
  const SessionDocument& document() const { return document_; }
  void new_session();
  /// Opens a session and goes to the configuration of its last point. One that was measured elsewhere, and a file
  /// under Installation::examples, is opened as recorded; one that was kept in the autosave folder goes on there. It is
  /// read in the background: nothing is measured meanwhile, what went wrong is a notice, and `opened` is called where
  /// nothing did.
  void begin_opening(const std::filesystem::path& file, std::function<void()> opened = {},
                     OpenedBy by = OpenedBy::person);
  /// Opens points that were kept in `autosave` and not yet saved to `file`, which is empty for an unnamed
  /// session, as begin_opening does.
  void begin_recovering(const std::filesystem::path& autosave, const std::filesystem::path& file,
                        std::function<void()> opened = {}, OpenedBy by = OpenedBy::person);
  /// Opens a session's points as recorded, drawn behind the measured ones; read in the background too.
  void begin_opening_recorded(const std::filesystem::path& file, std::function<void()> opened = {});
  /// Reopens a recorded session that was open when the program was last closed; nothing else changes.
  void begin_restoring_recorded(const std::filesystem::path& file);
  /// Writes the session under its own name or, given one, under that, in the background; as begin_opening.
  void begin_saving(const std::filesystem::path& file = {}, std::function<void()> saved = {});
  /// Waiting forms of the three functions above, for pictures and tests. They return whether it succeeded.
  bool open_session(const std::filesystem::path& file);
  bool open_recorded(const std::filesystem::path& file);
  bool save_session(const std::filesystem::path& file = {});
  /// Folder of autosaved sessions and of unsaved points of named ones. It holds no other files.
  std::filesystem::path autosave_folder() const { return installation_.data / "autosaves"; }
  /// The name of the session that is being opened, "" for none.
  std::string opening() const { return opening_.filename().string(); }
  /// Read-only, in the order in which they were opened.
  const std::vector<RecordedSession>& recorded_sessions() const { return recorded_sessions_; }
  void close_recorded(const std::filesystem::path& file);
  void close_all_recorded();

  /// Once per frame.
  void update();

  /// Another session is about to be read: what was asked for is of no use any more.
  std::function<void()> leaving = [] {};
  /// Another session is open.
  std::function<void(OpenedBy)> replaced = [](OpenedBy) {};
  /// No other session could be opened: this one stays.
  std::function<void()> stayed = [] {};
  /// The user opened a recorded session.
  std::function<void(const RecordedSession&)> recorded_opened = [](const RecordedSession&) {};
  /// Recorded sessions were closed.
  std::function<void()> recorded_closed = [] {};
  /// Whether it is known which devices are present, and whether one is: what was measured elsewhere is read-only.
  std::function<bool()> knows_devices = [] { return true; };
  std::function<bool(const std::string& device)> is_present = [](const std::string&) { return false; };

 private:
  struct ReadSession;
  bool has_any(bool (*has)(const Measurement&), std::pair<std::uint64_t, bool>& known) const;
  void begin_reading(const std::shared_ptr<ReadSession>& read);
  void take_opened(const std::shared_ptr<ReadSession>& read);
  void say_where_kept();
  void take_read(ReadSession& read);
  void take_as_recorded(ReadSession& read);
  void begin_reading_recorded(const std::filesystem::path& file, bool lands, std::function<void()> opened);
  void take_recorded(RecordedSession session, bool lands);
  bool is_example(const std::filesystem::path& file) const;
  bool is_autosave(const std::filesystem::path& file) const;
  bool has_recorded(const std::filesystem::path& file) const;
  /// To be freed in the background, once no panel holds them any more: thousands of points take many milliseconds.
  void retire(std::vector<SharedMeasurement> points, PointStore store);
  void free_retired();
  void take_saved();

  const Installation& installation_;
  KernelList& kernels_;
  BackgroundTasks& background_;
  Notices& notices_;
  SessionDocument document_;
  PointStore store_;
  PointStore prefetched_;
  /// Points of prefetched_, oldest first.
  std::deque<SharedMeasurement> prefetched_order_;
  std::uint64_t prefetched_revision_ = 0;
  std::vector<RecordedSession> recorded_sessions_;
  /// Points of all recorded sessions, one session after the other.
  std::vector<SharedMeasurement> recorded_;
  std::unordered_set<const Measurement*> recorded_set_;
  /// Files that are being read as recorded.
  std::vector<std::filesystem::path> reading_recorded_;
  /// The session that is being read; empty for none.
  std::filesystem::path opening_;
  /// Read, and waiting for the worker to say which devices are present.
  std::shared_ptr<ReadSession> waiting_;
  /// To be called when the save under way has succeeded.
  std::function<void()> saved_;
  std::vector<std::vector<SharedMeasurement>> retired_;
  std::uint64_t revision_ = 0;
  /// Whether there is a latency, and a prediction, and at which revision that was looked for.
  mutable std::pair<std::uint64_t, bool> latency_{~std::uint64_t{0}, false}, prediction_ = latency_;
};

}  // namespace tilescope
