#include "app/explorer/points/session_document.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <malloc.h>
#include <algorithm>

#include <condition_variable>
#include <ctime>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "profiler/installation.hpp"
#include "sessions/session_merge.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// [points]
constexpr std::size_t large_session = 1000;

}  // namespace

/// Writes the sessions that it was given, in their order. Only the newest state of a session waits.
class SessionDocument::Writer {
 public:
  struct Job {
    Session session;
    fs::path file;
    /// The user asked for this save and sees its outcome. If false, an autosave.
    bool is_save = false;
    /// For a save: the file as it was known then, and SessionDocument's count of changes.
    std::optional<FileStamp> stamp = {};
    std::int64_t changes = 0;
    /// The points that an autosave's file had when it was recovered.
    std::vector<SharedMeasurement> recovered = {};
    /// Number of the document since the start; errors of an earlier document are not reported for this one.
    int document = 0;
  };

  explicit Writer(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { run(); }) {}

  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void put(Job job) {
    {
      const std::lock_guard lock(mutex_);
      job.document = document_;
      if (!waiting_.empty() && waiting_.back().document == document_ && waiting_.back().file == job.file &&
          !job.is_save && !waiting_.back().is_save) {
        waiting_.back() = std::move(job);
      } else {
        waiting_.push_back(std::move(job));
      }
    }
    changed_.notify_all();
  }

  void flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
  }

  bool idle() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && !busy_;
  }

  bool take_end() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, false);
  }

  std::vector<std::string> take_errors() {
    const std::lock_guard lock(mutex_);
    return std::exchange(errors_, {});
  }

  std::optional<Saved> take_saved() {
    const std::lock_guard lock(mutex_);
    if (saved_.empty()) return std::nullopt;
    Saved saved = std::move(saved_.front());
    saved_.pop_front();
    return saved;
  }

  /// Whether an autosave has nothing but the points of the document that was saved elsewhere. `before`: the file as the
  /// document found it.
  bool has_only_own(const fs::path& file, const std::optional<FileStamp>& before) const {
    const std::lock_guard lock(mutex_);
    if (busy_) return false;
    if (!autosave_ || autosave_->file() != file) return !before || file_stamp(file) == before;
    return in_autosave_.points == autosaved_ && file_stamp(file) == autosave_->stamp();
  }

  /// Starts a new document: jobs put before belong to a former one.
  void begin_document() {
    const std::lock_guard lock(mutex_);
    ++document_;
    said_.clear();
    saved_.clear();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      {
        const Job job = std::move(waiting_.front());
        waiting_.pop_front();
        busy_ = true;
        lock.unlock();
        Saved result = write(job);
        lock.lock();
        note(job, std::move(result));
      }
      busy_ = false;
      ended_ = waiting_.empty();
      lock.unlock();
      changed_.notify_all();
      if (wake_) wake_();
      lock.lock();
    }
  }

  void note(const Job& job, Saved result) {
    const bool of_this_document = job.document == document_;
    if (job.is_save && of_this_document) {
      saved_.push_back(std::move(result));
    } else if (result.error.empty()) {
      said_.clear();
    } else if (said_.insert(result.error).second) {
      errors_.push_back(std::move(result.error));
    }
  }

  Saved write(const Job& job) {
    Saved result{job.file, "", {}, job.changes};
    std::error_code ignored;  // SessionWriter says why the folder cannot be written.
    fs::create_directories(job.file.parent_path(), ignored);
    try {
      if (job.is_save) {
        SessionWriter writer(job.file, job.stamp);
        writer.write(job.session);
        result.stamp = writer.stamp();
      } else {
        write_autosave(job);
      }
      // The text serialised for the first write of a large session is as large as its file: return its
      // memory.
      if (job.session.points.size() > large_session) malloc_trim(0);
    } catch (const std::exception& error) {
      result.error = error.what();
      if (!job.is_save)
        result.error += " The points are in this window's memory: save them before you close it.";
    }
    return result;
  }

  /// Points that another program has appended to the file meanwhile stay there.
  void write_autosave(const Job& job) {
    if (!autosave_ || autosave_->file() != job.file) {
      autosave_.emplace(job.file);
      autosave_->assume(job.recovered);
      in_autosave_ = job.session;
      in_autosave_.points = autosaved_ = job.recovered;
    }
    autosave_->update(in_autosave_, [&](Session& session) {
      apply_changes(std::exchange(autosaved_, job.session.points), job.session.points, session.points);
      session.sources.insert(job.session.sources.begin(), job.session.sources.end());
      return true;
    });
  }

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::deque<Saved> saved_;
  int document_ = 0;
  bool busy_ = false;
  bool ended_ = false;
  bool stop_ = false;
  std::vector<std::string> errors_;
  std::set<std::string> said_;
  /// Touched by the thread alone: keeps what it serialised before.
  std::optional<SessionWriter> autosave_;
  /// Content of the autosave file, and the document's points among it.
  Session in_autosave_;
  PointList autosaved_;
  /// Last: it uses all of the above.
  std::thread thread_;
};

SessionDocument::SessionDocument(fs::path autosave_folder, std::function<void()> wake)
    : autosave_folder_(std::move(autosave_folder)), writer_(std::make_unique<Writer>(std::move(wake))) {
  start_fresh({}, {});
}

SessionDocument::~SessionDocument() = default;

std::string SessionDocument::title() const {
  return file_.empty() ? "Untitled" : file_.filename().string();
}

bool SessionDocument::is_writing() const {
  return !writer_->idle();
}

bool SessionDocument::take_end_of_writing() {
  return writer_->take_end();
}

bool SessionDocument::is_dirty() const {
  return file_.empty() ? !session_.points.empty() : is_changed_;
}

Session SessionDocument::start_fresh(Session session, fs::path file) {
  writer_->begin_document();
  if (session.created_utc.empty()) {
    session.created_utc = utc_now();
    session.tilescope_version = tilescope_version();
  }
  file_ = std::move(file);
  autosave_file_.clear();
  former_file_ = file_;
  stamp_.reset();
  autosave_stamp_.reset();
  recovered_.clear();
  is_changed_ = false;
  return std::exchange(session_, std::move(session));
}

Session SessionDocument::new_session() {
  return start_fresh({}, {});
}

Session SessionDocument::adopt(Session session, const fs::path& file, std::optional<FileStamp> stamp) {
  Session former = start_fresh(std::move(session), fs::absolute(file));
  stamp_ = stamp;
  return former;
}

Session SessionDocument::recover(Session session, const fs::path& autosave, const fs::path& file,
                                 std::optional<FileStamp> autosave_stamp) {
  Session former = start_fresh(std::move(session), file.empty() ? file : fs::absolute(file));
  stamp_ = file.empty() ? std::nullopt : file_stamp(file_);
  autosave_file_ = autosave;
  autosave_stamp_ = autosave_stamp;
  recovered_ = session_.points;
  is_changed_ = true;
  return former;
}

void SessionDocument::begin_saving(const fs::path& file) {
  if (file.empty() && file_.empty())
    throw SessionError("The session has no file yet: choose one with Save as.");
  std::optional<FileStamp> stamp = stamp_;
  if (!file.empty() && fs::absolute(file) != file_) {
    former_file_ = std::exchange(file_, fs::absolute(file));
    // The user chose to overwrite the existing file.
    stamp = file_stamp(file_);
  }
  writer_->put({session_, file_, true, stamp, changes_});
}

std::optional<SessionDocument::Saved> SessionDocument::take_saved() {
  std::optional<Saved> saved = writer_->take_saved();
  if (!saved || saved->file != file_) return saved;
  if (saved->error.empty()) {
    stamp_ = saved->stamp;
    is_changed_ = saved->changes != changes_;
    if (!is_changed_) remove_autosave();
  } else if (former_file_ != file_) {
    file_ = former_file_;
  }
  former_file_ = file_;
  return saved;
}

/// The points are safe under their own name: two copies would only raise the question which one counts.
void SessionDocument::remove_autosave() {
  const fs::path file = std::exchange(autosave_file_, {});
  if (file.empty()) return;
  try {
    const FileLock lock(file, {std::chrono::milliseconds(0)});
    std::error_code ignored;
    if (writer_->has_only_own(file, autosave_stamp_)) fs::remove(file, ignored);
  } catch (const std::exception&) {
    // Another program writes it: its points stay there.
  }
}

void SessionDocument::add_point(SharedMeasurement point, const std::map<std::string, SourceFile>& sources) {
  session_.sources.insert(sources.begin(), sources.end());
  session_.points.push_back(std::move(point));
  note_change();
}

bool SessionDocument::replace_point(const SharedMeasurement& point, SharedMeasurement replacement) {
  const auto found = std::ranges::find(session_.points, point);
  if (found == session_.points.end()) return false;
  *found = std::move(replacement);
  note_change();
  return true;
}

bool SessionDocument::remove_point(const SharedMeasurement& point) {
  if (std::erase(session_.points, point) == 0) return false;
  note_change();
  return true;
}

void SessionDocument::note_change() {
  is_changed_ = true;
  ++changes_;
  if (autosave_file_.empty()) autosave_file_ = choose_autosave_file();
  writer_->put({session_, autosave_file_, false, {}, 0, recovered_});
}

fs::path SessionDocument::choose_autosave_file() {
  std::string stem = fmt::format("{:%Y-%m-%d_%H-%M-%S}", fmt::localtime(std::time(nullptr)));
  if (!file_.empty()) stem += "_" + file_.stem().string();
  autosave_stamp_.reset();
  recovered_.clear();
  fs::path file = autosave_folder_ / (stem + ".json");
  std::error_code ignored;
  for (int i = 2; fs::exists(file, ignored) || chosen_files_.contains(file); ++i)
    file = autosave_folder_ / fmt::format("{}-{}.json", stem, i);
  chosen_files_.insert(file);
  return file;
}

std::vector<std::string> SessionDocument::take_errors() {
  return writer_->take_errors();
}

void SessionDocument::flush() {
  writer_->flush();
}

}  // namespace tilescope
