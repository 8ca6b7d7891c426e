#include "app/explorer/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sessions/prediction_error.hpp"

namespace tilescope {

namespace {

std::vector<DeviceModel> read_device_tables(const Installation& installation, Notices& notices) {
  try {
    return load_device_tables(installation);
  } catch (const std::exception& error) {
    notices.say(fmt::format("The device tables cannot be read. {}", error.what()));
    return {};
  }
}

}  // namespace

Explorer::Explorer(Installation installation, Client::Options worker, std::function<void()> wake,
                   std::chrono::milliseconds time_limit, bool measures_points)
    : installation_(std::move(installation)),
      mailbox_(std::move(wake)),
      kernels_(installation_, mailbox_, notices_),
      selection_(kernels_, read_device_tables(installation_, notices_), notices_),
      points_(installation_, kernels_, background_, notices_, [this] { mailbox_.wake(); }),
      background_(mailbox_),
      jobs_({kernels_, selection_, points_, background_, notices_, mailbox_, meter_}, std::move(worker),
            time_limit, measures_points),
      neighbours_({kernels_, selection_, jobs_, background_, notices_}) {
  kernels_.chosen = [this] { return selection_.experiment().kernel; };
  kernels_.read_again = [this](const KernelList::Former& former) { take_kernel_files(former); };
  selection_.moved = [this] { meter_.moved(); };
  selection_.changed = [this] { take_selection(); };
  selection_.sides_changed = [this] {
    removed_ = nullptr;
    notices_.draw_again();
  };
  points_.leaving = [this] {
    jobs_.cancel_sweep();
    jobs_.dismiss_sweep_summary();
    jobs_.forget_point();
  };
  points_.replaced = [this](OpenedBy by) { take_session(by); };
  points_.stayed = [this] { jobs_.ask_for_point(); };
  points_.recorded_opened = [this](const RecordedSession& session) { take_recorded(session); };
  points_.recorded_closed = [this] { drop_closed_points(); };
  points_.knows_devices = [this] { return !jobs_.waits_for_devices(); };
  points_.is_present = [this](const std::string& name) {
    const DeviceModel* device = selection_.find_device(name);
    return device != nullptr && device->present;
  };
  focused_kernel_ = selection_.experiment().kernel;
  if (jobs_.has_worker()) jobs_.ask_for_point();
}

void Explorer::take_kernel_files(const KernelList::Former& former) {
  points_.count_up();
  if (selection_.experiment().kernel.empty()) return selection_.start_over();
  const auto now = kernels_.sources().find(selection_.kernel().name);
  const std::string source = now == kernels_.sources().end() ? "" : now->second;
  // A request that runs compiles what was there when it began. The first reading changes nothing: what runs compiles
  // it.
  const bool edited = !former.source.empty() && former.source != source;
  if (edited)
    notices_.inform(fmt::format("{} was read again.", selection_.kernel().source_path.filename().string()));
  const Point point = jobs_.current_point();
  const DeviceModel* device = point ? selection_.find_device(point->device.name) : nullptr;
  const Circumstances circumstances{kernels_.sources(), device != nullptr && device->present};
  const bool outdated = !jobs_.measuring() && point && standing_of(*point, circumstances) != Standing::final;
  if (edited || outdated || former.error != selection_.declaration_error()) jobs_.ask_for_point();
}

/// Those that the catalogue does not have were measured by the path of their file.
void Explorer::take_in_kernels(const std::vector<Point>& points) {
  std::set<std::string> names;
  for (const Point& point : points) {
    if (names.insert(point->kernel).second) kernels_.take_in(point->kernel);
  }
}

void Explorer::take_session(OpenedBy by) {
  const std::vector<Point>& points = points_.list();
  take_in_kernels(points);
  shown_ = nullptr;
  compared_ = nullptr;
  removed_ = nullptr;
  taken_out_.clear();
  drop_sides();
  if (points.empty()) return jobs_.ask_for_point();
  const std::string device = selection_.device().name;
  selection_.start_at(*points.back());
  if (selection_.device().name != device)
    notices_.inform(fmt::format("Device: {}, as in the session.", selection_.device().name));
  if (by == OpenedBy::person && has_several_kernels(points)) several_kernels_opened();
}

/// The sliders stay, unless the plots around them would then show nothing of a recording of one kernel.
void Explorer::take_recorded(const RecordedSession& session) {
  take_in_kernels(session.points);
  const Experiment& here = selection_.experiment();
  const bool is_seen = std::any_of(session.points.begin(), session.points.end(), [&](const Point& point) {
    return point->kernel == here.kernel && point->shape == here.shape;
  });
  if (session.has_several_kernels) {
    several_kernels_opened();
  } else if (!is_seen && session.landing && kernels_.find(session.landing->kernel) != nullptr) {
    const Experiment before = here;
    go_to(*session.landing);
    notices_.offer(fmt::format("The sliders went to {}, where the recording is.", session.landing->kernel),
                   "Undo", [this, before] { selection_.set_experiment(before); });
  }
  shown_ = session.landing;
}

bool Explorer::is_gone(const Point& point) const {
  const std::vector<Point>& own = points_.list();
  return !points_.is_recorded(point) && std::find(own.begin(), own.end(), point) == own.end();
}

void Explorer::drop_sides() {
  comparison_.drop_points([this](const Point& point) { return is_gone(point); });
}

void Explorer::drop_closed_points() {
  if (shown_ && is_gone(shown_)) shown_ = nullptr;
  if (compared_ && is_gone(compared_)) compared_ = nullptr;
  drop_sides();
  notices_.draw_again();
}

void Explorer::restore_experiment(const Experiment& experiment) {
  selection_.start_with(experiment);
}

void Explorer::look_for_latencies() const {
  if (latency_revision_ == points_.revision()) return;
  latency_revision_ = points_.revision();
  has_latency_ = has_prediction_ = false;
  for (const std::vector<Point>* list : {&points_.recorded(), &points_.list()}) {
    for (const Point& point : *list) {
      has_latency_ = has_latency_ || point->latency.has_value();
      has_prediction_ = has_prediction_ || has_prediction(*point);
    }
  }
}

bool Explorer::lacks_latency() const {
  look_for_latencies();
  return !has_latency_ && !selection_.device().present;
}

bool Explorer::lacks_prediction() const {
  look_for_latencies();
  return !has_prediction_;
}

void Explorer::take_selection() {
  shown_ = nullptr;
  removed_ = nullptr;
  if (selection_.kernel().name != compared_from_) compared_ = nullptr;
  const std::string& kernel = selection_.experiment().kernel;
  if (std::exchange(focused_kernel_, kernel) != kernel) memory_focus_.choose_line(0);
  neighbours_.note_move();
  jobs_.ask_for_point();
}

void Explorer::show_point(const Point& point) {
  const bool is_here = !points_.is_recorded(point) && point->device.name == selection_.device().name &&
                       kernels_.find(point->kernel) != nullptr;
  if (is_here) selection_.select_point(*point);
  // Under the sliders there may be a newer point of the same configuration.
  shown_ = jobs_.current_point() == point ? nullptr : point;
  notices_.draw_again();
}

void Explorer::show_side(Side side) {
  const Point point = comparison_.point(side);
  shown_ = jobs_.current_point() == point ? nullptr : point;
  notices_.draw_again();
}

void Explorer::stop_showing() {
  shown_ = nullptr;
  notices_.draw_again();
}

void Explorer::go_to(const Measurement& point) {
  const std::string device = selection_.device().name;
  Measurement here = point;
  here.device.name = device;
  selection_.select_point(here);
  stop_showing();
}

void Explorer::compare_with(const Point& point) {
  if (point) {
    comparison_.choose_against_sliders(point);
  } else if (compared_ && comparison_.choice(Side::a).point == compared_) {
    comparison_.clear(Side::a);
  }
  compared_ = point;
  compared_from_ = selection_.kernel().name;
  notices_.draw_again();
}

void Explorer::remove_point(const Point& point) {
  if (points_.is_recorded(point) || !points_.remove(point)) return;
  if (shown_ == point) shown_ = nullptr;
  if (compared_ == point) compared_ = nullptr;
  drop_sides();
  jobs_.drop(point);
  removed_ = point;
  // Nothing where another session is open by now, or the point was brought back in another way.
  notices_.offer("1 point removed from the session.", "Undo", [this, point] {
    if (taken_out_.contains(point)) points_.restore(point);
    if (removed_ == point) removed_ = nullptr;
    taken_out_.erase(point);
  });
  taken_out_.insert(point);
}

void Explorer::restore_point() {
  if (!removed_) return;
  taken_out_.erase(removed_);
  points_.restore(std::exchange(removed_, nullptr));
}

bool Explorer::update() {
  bool changed = mailbox_.drain() > 0;
  jobs_.update();
  neighbours_.update();
  points_.update();
  notices_.update();
  memory_focus_.next_frame();
  return notices_.take_changed() || changed;
}

void Explorer::show_line(std::uint32_t line, const std::string& inlined_place) {
  memory_focus_.choose_line(line, inlined_place);
  line_shown();
}

void Explorer::show_site(const WindowSite& site) {
  memory_focus_.choose_site(site);
  line_shown();
}

std::string Explorer::status_text() const {
  if (selection_.devices().empty()) return "No device is known: the device tables could not be read.";
  const DeviceModel& model = selection_.device();
  if (jobs_.waits_for_devices() && !model.present) return "Looking for a GPU...";
  if (model.present) return fmt::format("{} ({}): compiled, checked and timed on it", model.name, model.arch);
  return fmt::format(
      "{} ({}) not installed: compiled for it, checked and counted by the interpreter; latency predicted",
      model.name, model.arch);
}

std::string Explorer::activity() const {
  if (!points_.opening().empty()) return "opening " + points_.opening();
  std::string activity = jobs_.activity();
  if (!activity.empty()) return activity;
  if (block_trace_.waits()) return "summing up the block";
  if (layout_search_.searches()) return "judging layouts";
  const bool links = code_listing_.waits() || side_listings_[0].waits() || side_listings_[1].waits();
  if (links) return "linking the lines";
  if (code_difference_.waits()) return "comparing the codes";
  if (cuda_difference_.waits()) return "comparing the sources";
  return neighbours_.is_preparing() ? "preparing neighbours" : "";
}

}  // namespace tilescope
