// Opening sessions, recorded ones too, and closing those.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/explorer/points/points.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

fs::path resolved(const fs::path& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored);
}

}  // namespace

/// A session as it was read in the background, with its points as they are found.
struct Points::ReadSession {
  ReadSession(fs::path name, fs::path kept_in, std::function<void()> then)
      : file(std::move(name)), autosave(std::move(kept_in)), opened(std::move(then)) {}

  fs::path file;
  /// Where its points were kept; empty for a session that was saved.
  fs::path autosave;
  std::function<void()> opened;
  Session session;
  PointStore store;
  /// State of `file` before it was read.
  std::optional<FileStamp> stamp;
  /// "" when it could be read.
  std::string error;
  OpenedBy by = OpenedBy::person;
};

void Points::begin_opening(const fs::path& file, std::function<void()> opened, OpenedBy by) {
  if (is_example(file)) return begin_opening_recorded(file, std::move(opened));
  if (is_autosave(file)) return begin_recovering(file, {}, std::move(opened), by);
  const auto read = std::make_shared<ReadSession>(file, fs::path(), std::move(opened));
  read->by = by;
  begin_reading(read);
}

void Points::begin_recovering(const fs::path& autosave, const fs::path& file, std::function<void()> opened,
                              OpenedBy by) {
  const auto read = std::make_shared<ReadSession>(file, autosave, std::move(opened));
  read->by = by;
  begin_reading(read);
}

void Points::begin_reading(const std::shared_ptr<ReadSession>& read) {
  const fs::path file = read->autosave.empty() ? read->file : read->autosave;
  opening_ = file;
  waiting_.reset();
  leaving();
  background_.start([this, read, file] {
    try {
      document_.flush();  // It may be the open session's own file.
      read->stamp = file_stamp(file);
      read->session = load_session(file);
      for (const SharedMeasurement& point : read->session.points) read->store.add(point);
    } catch (const std::exception& error) {
      read->error = error.what();
    }
    // The document's tree of a large session is several times its points; glibc keeps it unless asked to give it
    // back.
    malloc_trim(0);
    return [this, read, file] {
      if (opening_ == file) take_opened(read);  // Else another one was asked for since.
    };
  });
}

void Points::take_opened(const std::shared_ptr<ReadSession>& read) {
  if (!read->error.empty()) {
    opening_.clear();
    notices_.say(std::move(read->error));
    return stayed();
  }
  if (!read->autosave.empty()) return take_read(*read);
  if (has_measured_latency(read->session) && !knows_devices()) {
    waiting_ = read;
    return;
  }
  if (is_measured_elsewhere(read->session, is_present)) return take_as_recorded(*read);
  take_read(*read);
}

/// The open session is about to be left with points that were not saved.
void Points::say_where_kept() {
  notices_.inform(fmt::format("{} is kept under File, Autosaved sessions: {}.", document_.title(),
                              document_.autosave_file().stem().string()));
}

void Points::take_read(ReadSession& read) {
  opening_.clear();
  if (document_.is_dirty()) say_where_kept();
  Session former = read.autosave.empty()
                       ? document_.adopt(std::move(read.session), read.file, read.stamp)
                       : document_.recover(std::move(read.session), read.autosave, read.file, read.stamp);
  retire(std::move(former.points), std::exchange(store_, std::move(read.store)));
  ++revision_;
  replaced(read.by);
  if (read.opened) read.opened();
}

/// The points were measured elsewhere: the open session stays, and new points go there.
void Points::take_as_recorded(ReadSession& read) {
  opening_.clear();
  stayed();
  if (has_recorded(read.file)) return;
  reading_recorded_.push_back(resolved(read.file));
  background_.start(
      [this, opened = std::move(read.opened), file = read.file,
       session = std::make_shared<Session>(std::move(read.session))]() -> BackgroundTasks::Continuation {
        auto recorded = std::make_shared<RecordedSession>(as_recorded(std::move(*session), resolved(file)));
        return [this, recorded, opened] {
          take_recorded(std::move(*recorded), true);
          if (opened) opened();
        };
      });
}

bool Points::is_example(const fs::path& file) const {
  std::error_code ignored;
  const fs::path examples = fs::weakly_canonical(installation_.examples, ignored);
  return !examples.empty() && resolved(file).parent_path() == examples;
}

bool Points::is_autosave(const fs::path& file) const {
  return resolved(file).parent_path() == resolved(autosave_folder());
}

bool Points::has_recorded(const fs::path& file) const {
  const fs::path name = resolved(file);
  const auto is_it = [&](const RecordedSession& session) { return session.file == name; };
  return std::any_of(recorded_sessions_.begin(), recorded_sessions_.end(), is_it) ||
         std::find(reading_recorded_.begin(), reading_recorded_.end(), name) != reading_recorded_.end();
}

void Points::begin_opening_recorded(const fs::path& file, std::function<void()> opened) {
  if (has_recorded(file)) {
    notices_.inform(fmt::format("{} is open already.", file.filename().string()));
    return;
  }
  begin_reading_recorded(file, true, std::move(opened));
}

void Points::begin_restoring_recorded(const fs::path& file) {
  if (!has_recorded(file)) begin_reading_recorded(file, false, {});
}

void Points::begin_reading_recorded(const fs::path& file, bool lands, std::function<void()> opened) {
  const fs::path name = resolved(file);
  reading_recorded_.push_back(name);
  background_.start([this, name, lands, opened = std::move(opened)]() -> BackgroundTasks::Continuation {
    auto recorded = std::make_shared<RecordedSession>();
    try {
      *recorded = as_recorded(load_session(name), name);
    } catch (const std::exception& error) {
      return [this, name, what = std::string(error.what())] {
        std::erase(reading_recorded_, name);
        notices_.say(what);
      };
    }
    malloc_trim(0);  // See begin_reading.
    return [this, recorded, lands, opened] {
      take_recorded(std::move(*recorded), lands);
      if (opened) opened();
    };
  });
}

void Points::take_recorded(RecordedSession session, bool lands) {
  // Closed meanwhile.
  if (std::erase(reading_recorded_, session.file) == 0) return;
  recorded_.insert(recorded_.end(), session.points.begin(), session.points.end());
  for (const SharedMeasurement& point : session.points) recorded_set_.insert(point.get());
  recorded_sessions_.push_back(std::move(session));
  ++revision_;
  if (lands) recorded_opened(recorded_sessions_.back());
}

void Points::close_recorded(const fs::path& file) {
  const auto closed = std::find_if(recorded_sessions_.begin(), recorded_sessions_.end(),
                                   [&](const RecordedSession& session) { return session.file == file; });
  if (closed == recorded_sessions_.end()) return;
  std::vector<SharedMeasurement> points = std::move(closed->points);
  recorded_sessions_.erase(closed);
  recorded_.clear();
  for (const RecordedSession& session : recorded_sessions_)
    recorded_.insert(recorded_.end(), session.points.begin(), session.points.end());
  retire(std::move(points), {});
  recorded_set_.clear();
  for (const SharedMeasurement& point : recorded_) recorded_set_.insert(point.get());
  ++revision_;
  recorded_closed();
}

void Points::close_all_recorded() {
  reading_recorded_.clear();
  retire(std::exchange(recorded_, {}), {});
  recorded_sessions_.clear();
  recorded_set_.clear();
  ++revision_;
  recorded_closed();
}

}  // namespace tilescope
