#include <malloc.h>

#include <system_error>
#include <utility>

#include "app/shell/explorer_implementation.hpp"

namespace tilescope {

namespace fs = std::filesystem;

/// A session as it was read in the background, with its points by their keys.
struct Explorer::Implementation::ReadSession {
  Session session;
  PointsByKey by_key;
  std::string error;            ///< "" when it could be read.
  std::size_t points_here = 0;  ///< Of the open session when the reading began.
};

void Explorer::Implementation::begin_opening(const fs::path& file, std::function<void()> opened) {
  if (is_example(file)) return begin_opening_recorded(file, std::move(opened));
  cancel_sweep();
  if (connection) connection->cancel(slider_tag);
  asked_key.clear();
  ++last_request;
  opening = file;
  background.start([this, file, opened = std::move(opened), points_here = document.session().points.size()] {
    auto read = std::make_shared<ReadSession>();
    read->points_here = points_here;
    try {
      document.flush();  // It may be the open session's own file.
      read->session = load_session(file);
      for (const Point& point : read->session.points) read->by_key[identity(experiment_of(*point))] = point;
    } catch (const std::exception& error) {
      read->error = error.what();
    }
    // The document's tree of a large session is several times its points; glibc keeps it unless asked to give it back.
    malloc_trim(0);
    return [this, file, opened, read] { take_opened(file, *read, opened); };
  });
}

void Explorer::Implementation::take_opened(const fs::path& file, ReadSession& read,
                                           const std::function<void()>& opened) {
  if (opening != file) return;  // Another one was asked for since.
  // A last point that came in while its session was read again is in the file now.
  const bool is_open_already = document.file() == fs::absolute(file);
  if (is_open_already && document.session().points.size() != read.points_here)
    return begin_opening(file, opened);
  opening.clear();
  if (!read.error.empty()) {
    messages.push_back(std::move(read.error));
    return ask();
  }
  retire(document.adopt(std::move(read.session), file).points, std::exchange(by_key, std::move(read.by_key)));
  ++revision;
  if (document.session().points.empty()) {
    ask();
  } else {
    go_to(*document.session().points.back(), true);
  }
  if (opened) opened();
}

bool Explorer::Implementation::is_example(const fs::path& file) const {
  std::error_code ignored;
  const fs::path examples = fs::weakly_canonical(installation.examples, ignored);
  return !examples.empty() && fs::weakly_canonical(file, ignored).parent_path() == examples;
}

void Explorer::Implementation::begin_opening_recorded(const fs::path& file, std::function<void()> opened) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(file, ignored);
  if (std::find(recorded_files.begin(), recorded_files.end(), canonical) != recorded_files.end()) return;
  recorded_files.push_back(canonical);
  background.start([this, file, canonical, opened = std::move(opened)]() -> BackgroundTasks::Continuation {
    std::vector<Point> points;
    try {
      for (const Point& point : load_session(file).points) {
        Measurement copy = *point;
        if (copy.latency) copy.latency->kind = LatencyKind::recorded;
        points.push_back(std::make_shared<const Measurement>(std::move(copy)));
      }
    } catch (const std::exception& error) {
      return [this, canonical, what = std::string(error.what())] {
        std::erase(recorded_files, canonical);
        messages.push_back(what);
      };
    }
    malloc_trim(0);  // See begin_opening.
    return [this, canonical, opened, points = std::move(points)] {
      // Closed meanwhile.
      if (std::find(recorded_files.begin(), recorded_files.end(), canonical) == recorded_files.end()) return;
      recorded.insert(recorded.end(), points.begin(), points.end());
      ++revision;
      if (opened) opened();
    };
  });
}

void Explorer::Implementation::retire(std::vector<Point> points, PointsByKey keys) {
  if (!points.empty()) retired.push_back(std::move(points));
  background.start([keys = std::make_shared<PointsByKey>(std::move(keys))] {
    keys->clear();
    return [] {};
  });
}

void Explorer::Implementation::free_retired() {
  std::erase_if(retired, [this](std::vector<Point>& points) {
    if (points.front().use_count() > 1 || points.back().use_count() > 1) return false;
    background.start([list = std::make_shared<std::vector<Point>>(std::move(points))] {
      list->clear();
      malloc_trim(0);
      return [] {};
    });
    return true;
  });
}

void Explorer::Implementation::take_saved() {
  while (const auto result = document.take_saved()) {
    configuration_changed = true;
    if (!result->error.empty()) messages.push_back(result->error);
    if (auto then = std::exchange(saved, nullptr); then && result->error.empty()) then();
  }
}

void Explorer::new_session() {
  Implementation& self = *implementation_;
  self.cancel_sweep();
  self.opening.clear();
  self.retire(self.document.new_session().points, std::exchange(self.by_key, {}));
  ++self.revision;
  self.ask();
}

void Explorer::begin_opening(const fs::path& file, std::function<void()> opened) {
  implementation_->begin_opening(file, std::move(opened));
}

void Explorer::begin_opening_recorded(const fs::path& file) {
  implementation_->begin_opening_recorded(file, {});
}

void Explorer::begin_saving(const fs::path& file, std::function<void()> saved) {
  try {
    implementation_->document.begin_saving(file);
    implementation_->saved = std::move(saved);
  } catch (const std::exception& error) {
    implementation_->messages.push_back(error.what());
  }
}

bool Explorer::open_session(const fs::path& file) {
  bool done = false;
  begin_opening(file, [&done] { done = true; });
  implementation_->background.finish();
  return done;
}

bool Explorer::open_recorded(const fs::path& file) {
  bool done = false;
  implementation_->begin_opening_recorded(file, [&done] { done = true; });
  implementation_->background.finish();
  return done;
}

bool Explorer::save_session(const fs::path& file) {
  bool done = false;
  begin_saving(file, [&done] { done = true; });
  implementation_->document.flush();
  implementation_->take_saved();
  return done;
}

std::string Explorer::opening() const {
  return implementation_->opening.filename().string();
}

void Explorer::close_recorded() {
  implementation_->retire(std::exchange(implementation_->recorded, {}), {});
  implementation_->recorded_files.clear();
  ++implementation_->revision;
}

}  // namespace tilescope
