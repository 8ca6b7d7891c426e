#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/navigation.hpp"
#include "app/explorer/points/shown_point.hpp"
#include "app/explorer/prefetch/neighbour_prefetch.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

/// State that the panels share: the kernels to choose from, the selection, the points, and a board with the questions
/// and their results. Knows nothing of ImGui: a test drives it without a window. Called from the window's
/// thread only.
class Explorer : public Navigation {
 public:
  /// Without a command in `worker` nothing is measured: sessions can be looked at. `wake` is called from other threads
  /// when update() has something to take. `time_limit` is a point's. If `measures_points` is false, only panel requests
  /// are sent.
  Explorer(Installation installation, Client::Options worker, std::function<void()> wake = {},
           std::chrono::milliseconds time_limit = Measure::time_limit, bool measures_points = true);
  /// Ends the worker and writes what is not yet written.
  ~Explorer() = default;
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  KernelList& kernels() { return kernels_; }
  const KernelList& kernels() const { return kernels_; }
  Selection& selection() { return selection_; }
  const Selection& selection() const { return selection_; }
  Points& points() { return points_; }
  const Points& points() const { return points_; }
  Board& board() { return board_; }
  const Board& board() const { return board_; }

  /// Sources of points: the worker, and prefetching for the next move of a slider.
  Jobs& jobs() { return jobs_; }
  const Jobs& jobs() const { return jobs_; }
  NeighbourPrefetch& neighbours() { return neighbours_; }
  /// How long the answers to moves of the sliders take.
  LatencyMeter& meter() { return meter_; }
  const LatencyMeter& meter() const { return meter_; }
  ShownPoint& shown() { return shown_; }
  const ShownPoint& shown() const { return shown_; }
  Notices& notices() { return notices_; }
  const Notices& notices() const { return notices_; }
  const Installation& installation() const { return installation_; }

  /// A line of the kernel's file was clicked, anywhere: the panels that show its worst site come to the front.
  void show_line(std::uint32_t line, const std::string& inlined_place = "");
  /// Whether no point that is open has a latency, and none can be timed.
  bool lacks_latency() const { return !points_.has_latency() && !selection_.device().present; }

  /// Once per frame: takes what the worker answered. Returns true when something changed and a frame must be drawn.
  bool update();
  /// For the status line: device, what is measured and what is not.
  std::string status_text() const;
  /// "point: compile", "opening sweep.json", "" when idle.
  std::string activity() const;

 private:
  void take_kernel_files(const KernelList::Former& former);
  void take_in_kernels(const std::vector<SharedMeasurement>& points);
  void take_session(OpenedBy by);
  void take_recorded(const RecordedSession& session);
  void show_opened(const std::vector<SharedMeasurement>& points, bool has_several_kernels);
  void take_selection();

  // In this order: each uses those before it, and the worker ends first.
  Installation installation_;
  Mailbox mailbox_;
  Notices notices_;
  KernelList kernels_;
  Selection selection_;
  Points points_;
  // Its tasks use the points, so that it waits for them before those go; the jobs go first and stop theirs.
  BackgroundTasks background_;
  LatencyMeter meter_;
  Jobs jobs_;
  NeighbourPrefetch neighbours_;
  Board board_;
  ShownPoint& shown_;
  /// The kernel whose lines and sites the memory focus means.
  std::string focused_kernel_;
};

}  // namespace tilescope
