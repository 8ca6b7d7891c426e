#include "app/explorer/points.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiler/client/point_source.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

fs::path resolved(const fs::path& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored);
}

}  // namespace

Points::Points(const Installation& installation, KernelList& kernels, BackgroundTasks& background,
               Notices& notices, const std::function<void()>& wake)
    : installation_(installation),
      kernels_(kernels),
      background_(background),
      notices_(notices),
      document_(autosave_folder(), wake) {}

void Points::add(const Point& point, const Experiment& asked) {
  std::map<std::string, SourceFile> sources;
  const std::string& sha256 = point->provenance.source_sha256;
  if (!document_.session().sources.contains(sha256)) {
    const KernelDeclaration* kernel = kernels_.find(point->kernel);
    const fs::path file = kernel == nullptr ? fs::path() : kernel->source_path;
    if (auto source = find_point_source(*point, installation_, file)) sources[sha256] = *std::move(source);
  }
  document_.add_point(point, sources);
  store_.add(asked, point);
  ++revision_;
  // The worker compiled another file than the one that was read here: it was saved since, and not every file system
  // says so.
  if (is_of_older_source(*point, kernels_.sources())) kernels_.look_again();
}

void Points::take_from_aside(const Point& point, const Experiment& asked) {
  aside_.remove(point);
  add(point, asked);
}

bool Points::remove(const Point& point) {
  if (!document_.remove_point(point)) return false;
  store_.remove(point);
  ++revision_;
  return true;
}

void Points::restore(const Point& point) {
  document_.add_point(point, {});
  store_.add(point);
  ++revision_;
}

const SourceFile* Points::find_source(const std::string& sha256) const {
  const auto& own = document_.session().sources;
  if (const auto found = own.find(sha256); found != own.end()) return &found->second;
  for (const RecordedSession& session : recorded_sessions_) {
    if (const auto found = session.sources.find(sha256); found != session.sources.end())
      return &found->second;
  }
  return nullptr;
}

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
  /// Of `file` before it was read.
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
      for (const Point& point : read->session.points) read->store.add(point);
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
                       : document_.recover(std::move(read.session), read.autosave, read.file);
  retire(std::move(former.points), std::exchange(store_, std::move(read.store)));
  ++revision_;
  replaced(read.by);
  if (read.opened) read.opened();
}

/// What was measured elsewhere: the open session stays, and new points go there.
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
  for (const Point& point : session.points) recorded_set_.insert(point.get());
  recorded_sessions_.push_back(std::move(session));
  ++revision_;
  if (lands) recorded_opened(recorded_sessions_.back());
}

void Points::retire(std::vector<Point> points, PointStore store) {
  if (!points.empty()) retired_.push_back(std::move(points));
  background_.start([kept = std::make_shared<PointStore>(std::move(store))] {
    *kept = {};
    return [] {};
  });
}

void Points::free_retired() {
  std::erase_if(retired_, [this](std::vector<Point>& points) {
    if (points.front().use_count() > 1 || points.back().use_count() > 1) return false;
    background_.start([list = std::make_shared<std::vector<Point>>(std::move(points))] {
      list->clear();
      malloc_trim(0);
      return [] {};
    });
    return true;
  });
}

void Points::take_saved() {
  while (const auto result = document_.take_saved()) {
    notices_.draw_again();
    if (!result->error.empty()) notices_.say(result->error);
    if (auto then = std::exchange(saved_, nullptr); then && result->error.empty()) then();
  }
}

void Points::new_session() {
  leaving();
  opening_.clear();
  waiting_.reset();
  if (document_.is_dirty()) say_where_kept();
  retire(document_.new_session().points, std::exchange(store_, {}));
  ++revision_;
  replaced(OpenedBy::person);
}

void Points::begin_saving(const fs::path& file, std::function<void()> saved) {
  if (!file.empty() && is_autosave(file)) {
    return notices_.say(
        fmt::format("{} holds autosaved sessions, which are removed when they are saved elsewhere. "
                    "Choose another folder.",
                    autosave_folder().string()));
  }
  try {
    document_.begin_saving(file);
    saved_ = std::move(saved);
  } catch (const std::exception& error) {
    notices_.say(error.what());
  }
}

bool Points::open_session(const fs::path& file) {
  bool done = false;
  begin_opening(file, [&done] { done = true; });
  background_.finish();
  return done;
}

bool Points::open_recorded(const fs::path& file) {
  bool done = false;
  begin_opening_recorded(file, [&done] { done = true; });
  background_.finish();
  return done;
}

bool Points::save_session(const fs::path& file) {
  bool done = false;
  begin_saving(file, [&done] { done = true; });
  document_.flush();
  take_saved();
  return done;
}

void Points::close_recorded(const fs::path& file) {
  const auto closed = std::find_if(recorded_sessions_.begin(), recorded_sessions_.end(),
                                   [&](const RecordedSession& session) { return session.file == file; });
  if (closed == recorded_sessions_.end()) return;
  std::vector<Point> points = std::move(closed->points);
  recorded_sessions_.erase(closed);
  recorded_.clear();
  for (const RecordedSession& session : recorded_sessions_)
    recorded_.insert(recorded_.end(), session.points.begin(), session.points.end());
  retire(std::move(points), {});
  recorded_set_.clear();
  for (const Point& point : recorded_) recorded_set_.insert(point.get());
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

void Points::update() {
  if (waiting_ && knows_devices()) take_opened(std::exchange(waiting_, nullptr));
  take_saved();
  free_retired();
  for (std::string& error : document_.take_errors()) notices_.say(std::move(error));
}

}  // namespace tilescope
