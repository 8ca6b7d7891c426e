#include "app/explorer/points/points.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiler/service/client/point_source.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {

namespace fs = std::filesystem;

Points::Points(const Installation& installation, KernelList& kernels, BackgroundTasks& background,
               Notices& notices, const std::function<void()>& wake)
    : installation_(installation),
      kernels_(kernels),
      background_(background),
      notices_(notices),
      document_(autosave_folder(), wake) {}

void Points::add(const SharedMeasurement& point, const Experiment& asked) {
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

bool Points::add_of_file(const SharedMeasurement& point, const SourceFile& source) {
  const auto is_same = [&](const SharedMeasurement& other) { return is_same_point_of_file(*other, *point); };
  const auto there = std::ranges::find_if(list(), is_same);
  const SharedMeasurement former = there == list().end() ? nullptr : *there;
  // The one that names more values can be drawn against them.
  if (former && former->parameters.size() >= point->parameters.size()) return false;
  if (former) document_.remove_point(former);
  std::map<std::string, SourceFile> sources;
  if (!source.text.empty()) sources[point->provenance.source_sha256] = source;
  document_.add_point(point, sources);
  ++revision_;
  return former == nullptr;
}

void Points::keep_prefetched(const SharedMeasurement& point, const Experiment& asked) {
  prefetched_.add(asked, point);
  prefetched_order_.push_back(point);
  while (prefetched_order_.size() > max_prefetched) {
    prefetched_.remove(prefetched_order_.front());
    prefetched_order_.pop_front();
  }
  ++prefetched_revision_;
}

void Points::take_prefetched(const SharedMeasurement& point, const Experiment& asked) {
  prefetched_.remove(point);
  std::erase(prefetched_order_, point);
  add(point, asked);
}

void Points::put_back_prefetched(const SharedMeasurement& point, const Experiment& asked) {
  if (remove(point)) keep_prefetched(point, asked);
}

bool Points::replace(const SharedMeasurement& point, const SharedMeasurement& replacement,
                     const Experiment& asked) {
  if (!document_.replace_point(point, replacement)) return false;
  store_.remove(point);
  store_.add(asked, replacement);
  ++revision_;
  return true;
}

bool Points::remove(const SharedMeasurement& point) {
  if (!document_.remove_point(point)) return false;
  store_.remove(point);
  ++revision_;
  return true;
}

void Points::restore(const SharedMeasurement& point) {
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

bool Points::has_latency() const {
  return has_any([](const Measurement& point) { return point.latency.has_value(); }, latency_);
}

bool Points::has_prediction() const {
  return has_any(tilescope::has_prediction, prediction_);
}

bool Points::has_any(bool (*has)(const Measurement&), std::pair<std::uint64_t, bool>& known) const {
  const auto has_it = [&](const SharedMeasurement& point) { return has(*point); };
  if (std::exchange(known.first, revision_) != revision_)
    known.second = std::ranges::any_of(recorded_, has_it) || std::ranges::any_of(list(), has_it);
  return known.second;
}

void Points::retire(std::vector<SharedMeasurement> points, PointStore store) {
  if (!points.empty()) retired_.push_back(std::move(points));
  background_.start([kept = std::make_shared<PointStore>(std::move(store))] {
    *kept = {};
    return [] {};
  });
}

void Points::free_retired() {
  std::erase_if(retired_, [this](std::vector<SharedMeasurement>& points) {
    if (points.front().use_count() > 1 || points.back().use_count() > 1) return false;
    background_.start([list = std::make_shared<std::vector<SharedMeasurement>>(std::move(points))] {
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

void Points::update() {
  if (waiting_ && knows_devices()) take_opened(std::exchange(waiting_, nullptr));
  take_saved();
  free_retired();
  if (document_.take_end_of_writing()) notices_.draw_again();
  for (std::string& error : document_.take_errors()) notices_.say(std::move(error));
}

}  // namespace tilescope
