#include "app/explorer/points.hpp"

#include <malloc.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiler/client/point_source.hpp"

namespace tilescope {

namespace fs = std::filesystem;

Points::Points(const Installation& installation, KernelList& kernels, BackgroundTasks& background,
               Notices& notices, const std::function<void()>& wake)
    : installation_(installation),
      kernels_(kernels),
      background_(background),
      notices_(notices),
      document_(installation.data / "sessions", wake) {}

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
  for (const auto* sources : {&document_.session().sources, &recorded_sources_}) {
    const auto found = sources->find(sha256);
    if (found != sources->end()) return &found->second;
  }
  return nullptr;
}

/// A session as it was read in the background, with its points as they are found.
struct Points::ReadSession {
  Session session;
  PointStore store;
  /// "" when it could be read.
  std::string error;
  /// Of the open session when the reading began.
  std::size_t points_here = 0;
};

void Points::begin_opening(const fs::path& file, std::function<void()> opened) {
  if (is_example(file)) return begin_opening_recorded(file, std::move(opened));
  opening_ = file;
  leaving();
  background_.start(
      [this, file, opened = std::move(opened), points_here = document_.session().points.size()] {
        auto read = std::make_shared<ReadSession>();
        read->points_here = points_here;
        try {
          document_.flush();  // It may be the open session's own file.
          read->session = load_session(file);
          for (const Point& point : read->session.points) read->store.add(point);
        } catch (const std::exception& error) {
          read->error = error.what();
        }
        // The document's tree of a large session is several times its points; glibc keeps it unless asked to give it
        // back.
        malloc_trim(0);
        return [this, file, opened, read] { take_opened(file, *read, opened); };
      });
}

void Points::take_opened(const fs::path& file, ReadSession& read, const std::function<void()>& opened) {
  if (opening_ != file) return;  // Another one was asked for since.
  // A last point that came in while its session was read again is in the file now.
  const bool is_open_already = document_.file() == fs::absolute(file);
  if (is_open_already && document_.session().points.size() != read.points_here)
    return begin_opening(file, opened);
  opening_.clear();
  if (!read.error.empty()) {
    notices_.say(std::move(read.error));
    return stayed();
  }
  retire(document_.adopt(std::move(read.session), file).points, std::exchange(store_, std::move(read.store)));
  ++revision_;
  replaced();
  if (opened) opened();
}

bool Points::is_example(const fs::path& file) const {
  std::error_code ignored;
  const fs::path examples = fs::weakly_canonical(installation_.examples, ignored);
  return !examples.empty() && fs::weakly_canonical(file, ignored).parent_path() == examples;
}

void Points::begin_opening_recorded(const fs::path& file, std::function<void()> opened) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(file, ignored);
  if (std::find(recorded_files_.begin(), recorded_files_.end(), canonical) != recorded_files_.end()) return;
  recorded_files_.push_back(canonical);
  background_.start([this, file, canonical, opened = std::move(opened)]() -> BackgroundTasks::Continuation {
    std::vector<Point> points;
    std::map<std::string, SourceFile> sources;
    try {
      Session session = load_session(file);
      sources = std::move(session.sources);
      for (const Point& point : session.points) {
        Measurement copy = *point;
        if (copy.latency) copy.latency->kind = LatencyKind::recorded;
        points.push_back(std::make_shared<const Measurement>(std::move(copy)));
      }
    } catch (const std::exception& error) {
      return [this, canonical, what = std::string(error.what())] {
        std::erase(recorded_files_, canonical);
        notices_.say(what);
      };
    }
    malloc_trim(0);  // See begin_opening.
    return [this, canonical, opened, points = std::move(points), sources = std::move(sources)] {
      // Closed meanwhile.
      if (std::find(recorded_files_.begin(), recorded_files_.end(), canonical) == recorded_files_.end())
        return;
      recorded_.insert(recorded_.end(), points.begin(), points.end());
      for (const Point& point : points) recorded_set_.insert(point.get());
      recorded_sources_.insert(sources.begin(), sources.end());
      ++revision_;
      if (opened) opened();
    };
  });
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
  retire(document_.new_session().points, std::exchange(store_, {}));
  ++revision_;
  replaced();
}

void Points::begin_saving(const fs::path& file, std::function<void()> saved) {
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

void Points::close_recorded() {
  retire(std::exchange(recorded_, {}), {});
  recorded_set_.clear();
  recorded_sources_.clear();
  recorded_files_.clear();
  ++revision_;
}

void Points::update() {
  take_saved();
  free_retired();
  for (std::string& error : document_.take_errors()) notices_.say(std::move(error));
}

}  // namespace tilescope
