#include "app/explorer/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"

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

bool is_of_file(const SharedMeasurement& point) {
  return point->arguments.has_value();
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
      neighbours_({kernels_, selection_, jobs_, background_, notices_}),
      board_({installation_, kernels_, selection_, points_, jobs_, background_, notices_, *this}),
      shown_(board_.get<ShownPoint>()) {
  kernels_.chosen = [this] { return selection_.experiment().kernel; };
  kernels_.read_again = [this](const KernelList::Former& former) { take_kernel_files(former); };
  selection_.moved = [this] { meter_.moved(); };
  selection_.changed = [this] { take_selection(); };
  selection_.sides_changed = [this] {
    shown_.forget_removed();
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
  points_.recorded_closed = [this] { shown_.drop_closed(); };
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
  const SharedMeasurement point = jobs_.current_point();
  const DeviceModel* device = point ? selection_.find_device(point->device.name) : nullptr;
  const Circumstances circumstances{kernels_.sources(), device != nullptr && device->present};
  const bool outdated = !jobs_.measuring() && point && standing_of(*point, circumstances) != Standing::final;
  if (edited || outdated || former.error != selection_.declaration_error()) jobs_.ask_for_point();
}

/// Kernels outside the catalogue were measured by the path of their file.
void Explorer::take_in_kernels(const std::vector<SharedMeasurement>& points) {
  std::set<std::string> names;
  for (const SharedMeasurement& point : points) {
    if (names.insert(point->kernel).second) kernels_.take_in(point->kernel);
  }
}

void Explorer::take_session(OpenedBy by) {
  const std::vector<SharedMeasurement>& points = points_.list();
  take_in_kernels(points);
  shown_.take_session();
  if (points.empty()) return jobs_.ask_for_point();
  // The sliders are for kernels that declare parameters.
  const auto declared = std::find_if(points.rbegin(), points.rend(), std::not_fn(is_of_file));
  if (declared != points.rend()) {
    const std::string device = selection_.device().name;
    selection_.start_at(**declared);
    if (selection_.device().name != device)
      notices_.inform(fmt::format("Device: {}, as in the session.", selection_.device().name));
  }
  if (is_of_file(points.back())) shown_.show_as_it_is(points.back());
  if (by == OpenedBy::person) show_opened(points, has_several_kernels(points));
}

void Explorer::show_opened(const std::vector<SharedMeasurement>& points, bool has_several_kernels) {
  if (has_several_kernels) {
    several_kernels_opened();
  } else if (!points.empty() && std::ranges::all_of(points, is_of_file)) {
    points_of_files_opened();
  }
}

/// The sliders stay, unless the plots around them would then show nothing of a recording of one kernel.
void Explorer::take_recorded(const RecordedSession& session) {
  take_in_kernels(session.points);
  const Experiment& here = selection_.experiment();
  const bool is_seen =
      std::any_of(session.points.begin(), session.points.end(), [&](const SharedMeasurement& point) {
        return point->kernel == here.kernel && point->shape == here.shape;
      });
  show_opened(session.points, session.has_several_kernels);
  if (!session.has_several_kernels && !is_seen && session.landing &&
      kernels_.find(session.landing->kernel) != nullptr) {
    const Experiment before = here;
    shown_.go_to(*session.landing);
    notices_.offer(fmt::format("The sliders went to {}, where the recording is.", session.landing->kernel),
                   "Undo", [this, before] { selection_.set_experiment(before); });
  }
  shown_.show_as_it_is(session.landing);
}

void Explorer::take_selection() {
  shown_.take_move();
  const std::string& kernel = selection_.experiment().kernel;
  if (std::exchange(focused_kernel_, kernel) != kernel) board_.get<MemoryFocus>().choose_line(0);
  neighbours_.note_move();
  jobs_.ask_for_point();
}

bool Explorer::update() {
  bool changed = mailbox_.drain() > 0;
  jobs_.update();
  neighbours_.update();
  points_.update();
  notices_.update();
  board_.get<MemoryFocus>().next_frame();
  board_.get<MemoryFocus>(block_of_file).next_frame();
  return notices_.take_changed() || changed;
}

void Explorer::show_line(std::uint32_t line, const std::string& inlined_place) {
  board_.get<MemoryFocus>().choose_line(line, inlined_place);
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
  activity = board_.activity();
  if (!activity.empty()) return activity;
  return neighbours_.is_preparing() ? "preparing neighbours" : "";
}

}  // namespace tilescope
