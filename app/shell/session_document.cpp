#include "app/shell/session_document.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <malloc.h>

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "profiler/installation.hpp"
#include "sessions/clock.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t large_session = 1000;  ///< [points]

}  // namespace

/// Writes the newest session it was given; one given while it writes replaces a waiting one.
class SessionDocument::Writer {
 public:
  struct Job {
    Session session;
    fs::path file;
    fs::path fallback;  ///< Tried when `file` cannot be written; empty for none.
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
      waiting_ = std::move(job);
    }
    changed_.notify_all();
  }

  void flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_ && !busy_; });
  }

  bool idle() const {
    const std::lock_guard lock(mutex_);
    return !waiting_ && !busy_;
  }

  /// "" when the last job reached its own file.
  std::string last_error() const {
    const std::lock_guard lock(mutex_);
    return last_error_;
  }

  std::vector<std::string> take_errors() {
    const std::lock_guard lock(mutex_);
    return std::exchange(errors_, {});
  }

  void forget_errors() {
    const std::lock_guard lock(mutex_);
    last_error_.clear();
    said_.clear();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || waiting_; });
      if (!waiting_) return;
      const Job job = *std::exchange(waiting_, std::nullopt);
      busy_ = true;
      lock.unlock();
      const std::string error = write(job);
      lock.lock();
      busy_ = false;
      last_error_ = error;
      if (error.empty()) {
        said_.clear();
      } else if (said_.insert(error).second) {
        errors_.push_back(error);
      }
      lock.unlock();
      changed_.notify_all();
      if (wake_) wake_();
      lock.lock();
    }
  }

  /// Returns what went wrong, "" when the session lies in its own file.
  std::string write(const Job& job) {
    std::string error = try_to_write(job.session, job.file);
    if (error.empty() || job.fallback.empty()) return error;
    const std::string second = try_to_write(job.session, job.fallback);
    if (second.empty()) {
      return fmt::format("{} The points are kept in {} meanwhile; save under another name.", error,
                         job.fallback.string());
    }
    return fmt::format(
        "{} Nor can they be kept elsewhere: {} The points are in this window's memory: save under "
        "another name before you close it.",
        error, second);
  }

  std::string try_to_write(const Session& session, const fs::path& file) {
    std::error_code ignored;  // SessionWriter says why the folder cannot be written.
    fs::create_directories(file.parent_path(), ignored);
    if (!writer_ || writer_->file() != file) writer_.emplace(file);
    try {
      writer_->write(session);
      // What was serialised for the first write of a large session is as large as its file.
      if (session.points.size() > large_session) malloc_trim(0);
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> waiting_;
  bool busy_ = false;
  bool stop_ = false;
  std::string last_error_;
  std::vector<std::string> errors_;
  std::set<std::string> said_;
  std::optional<SessionWriter> writer_;  ///< Touched by the thread alone: keeps what it serialised before.
  std::thread thread_;                   ///< Last: it uses all of the above.
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

bool SessionDocument::is_dirty() const {
  if (session_.points.empty() && file_.empty()) return false;
  return file_.empty() || is_writing() || !writer_->last_error().empty();
}

void SessionDocument::start_fresh(Session session, fs::path file) {
  // The former session is written to its end; its failures, already listed, are not those of this one.
  writer_->flush();
  writer_->forget_errors();
  if (session.created_utc.empty()) {
    session.created_utc = utc_now();
    session.tilescope_version = tilescope_version();
  }
  session_ = std::move(session);
  file_ = std::move(file);
  autosave_file_.clear();
}

void SessionDocument::new_session() {
  start_fresh({}, {});
}

void SessionDocument::open(const fs::path& file) {
  Session session = load_session(file);
  // The document's tree of a large session is several times its points; glibc keeps it unless told to give it back.
  malloc_trim(0);
  start_fresh(std::move(session), fs::absolute(file));
}

void SessionDocument::save() {
  if (file_.empty()) throw SessionError("The session has no file yet: choose one with Save as.");
  writer_->put({session_, file_, {}});
  writer_->flush();
  writer_->take_errors();
  if (const std::string error = writer_->last_error(); !error.empty()) throw SessionError(error);
}

void SessionDocument::save_as(const fs::path& file) {
  const fs::path former = std::exchange(file_, fs::absolute(file));
  try {
    save();
  } catch (...) {
    file_ = former;
    autosave();
    throw;
  }
  // The points are safe under their own name now; two copies would only raise the question which one counts.
  std::error_code ignored;
  if (!autosave_file_.empty()) fs::remove(autosave_file_, ignored);
  autosave_file_.clear();
}

void SessionDocument::add_point(std::shared_ptr<const Measurement> point,
                                const std::map<std::string, SourceFile>& sources) {
  session_.sources.insert(sources.begin(), sources.end());
  session_.points.push_back(std::move(point));
  autosave();
}

void SessionDocument::autosave() {
  if (session_.points.empty()) return;
  if (autosave_file_.empty()) autosave_file_ = choose_autosave_file();
  if (file_.empty()) {
    writer_->put({session_, autosave_file_, {}});
  } else {
    writer_->put({session_, file_, autosave_file_});
  }
}

fs::path SessionDocument::choose_autosave_file() const {
  const std::string stem = fmt::format("{:%Y-%m-%d_%H-%M-%S}", fmt::localtime(std::time(nullptr)));
  fs::path file = autosave_folder_ / (stem + ".json");
  std::error_code ignored;
  for (int i = 2; fs::exists(file, ignored); ++i)
    file = autosave_folder_ / fmt::format("{}-{}.json", stem, i);
  return file;
}

std::vector<std::string> SessionDocument::take_errors() {
  return writer_->take_errors();
}

void SessionDocument::flush() {
  writer_->flush();
}

}  // namespace tilescope
