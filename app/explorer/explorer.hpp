#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/block_stepping.hpp"
#include "app/explorer/block_trace.hpp"
#include "app/explorer/check_run.hpp"
#include "app/explorer/code_difference.hpp"
#include "app/explorer/code_listing.hpp"
#include "app/explorer/comparison_pair.hpp"
#include "app/explorer/cuda_difference.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_counts.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/latency_meter.hpp"
#include "app/explorer/layout_search.hpp"
#include "app/explorer/lesson_reading.hpp"
#include "app/explorer/memory_focus.hpp"
#include "app/explorer/neighbours_ahead.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/points.hpp"
#include "app/explorer/selection.hpp"
#include "app/explorer/sweep_choice.hpp"
#include "profiler/client/client.hpp"
#include "profiler/client/mailbox.hpp"
#include "profiler/installation.hpp"
#include "profiler/requests/measure.hpp"

namespace tilescope {

struct FragmentSubject;

/// What the panels share, in four parts. Knows nothing of ImGui: a test drives it without a window. Called from the
/// window's thread only.
class Explorer {
 public:
  /// Without a command in `worker` nothing is measured: sessions can be looked at. `wake` is called from other threads
  /// when update() has something to take. `time_limit` is a point's. Without `measures_points` no point
  /// is measured, only what panels request is asked for.
  Explorer(Installation installation, Client::Options worker, std::function<void()> wake = {},
           std::chrono::milliseconds time_limit = Measure::time_limit, bool measures_points = true);
  /// Ends the worker and writes what is not yet written.
  ~Explorer() = default;
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  /// What there is to choose from.
  KernelList& kernels() { return kernels_; }
  const KernelList& kernels() const { return kernels_; }
  /// What is chosen: the configuration under the sliders.
  Selection& selection() { return selection_; }
  const Selection& selection() const { return selection_; }
  /// What was measured.
  Points& points() { return points_; }
  const Points& points() const { return points_; }
  /// What is being measured.
  Jobs& jobs() { return jobs_; }
  const Jobs& jobs() const { return jobs_; }
  /// How long the answers to moves of the sliders take.
  LatencyMeter& meter() { return meter_; }
  const LatencyMeter& meter() const { return meter_; }
  /// What is prepared for the next move of a slider.
  NeighboursAhead& neighbours() { return neighbours_; }
  const NeighboursAhead& neighbours() const { return neighbours_; }
  /// Which two are compared.
  ComparisonPair& comparison() { return comparison_; }
  const ComparisonPair& comparison() const { return comparison_; }
  /// What the next sweep goes through.
  SweepChoice& sweep_choice() { return sweep_choice_; }
  const SweepChoice& sweep_choice() const { return sweep_choice_; }

  // --- one block of the kernel under the sliders, traced ---
  /// Its accesses, for the panels that draw them.
  BlockTrace& block_trace() { return block_trace_; }
  const BlockTrace& block_trace() const { return block_trace_; }
  /// The play head in one of its blocks.
  BlockStepping& block_stepping() { return block_stepping_; }
  const BlockStepping& block_stepping() const { return block_stepping_; }
  /// The counts of all its blocks, with all sites.
  KernelCounts& kernel_counts() { return kernel_counts_; }
  const KernelCounts& kernel_counts() const { return kernel_counts_; }
  /// What the compiler made of the configuration under the sliders, and of a side of the comparison.
  CodeListing& code_listing() { return code_listing_; }
  const CodeListing& code_listing() const { return code_listing_; }
  CodeListing& side_listing(Side side) {
    return comparison_.follows_sliders(side) ? code_listing_ : side_listings_[index_of(side)];
  }
  const CodeListing& side_listing(Side side) const {
    return comparison_.follows_sliders(side) ? code_listing_ : side_listings_[index_of(side)];
  }
  /// The difference of the two sides' machine codes.
  CodeDifference& code_difference() { return code_difference_; }
  const CodeDifference& code_difference() const { return code_difference_; }
  /// The difference of the two sides' CUDA sources.
  CudaDifference& cuda_difference() { return cuda_difference_; }
  const CudaDifference& cuda_difference() const { return cuda_difference_; }
  /// The checkers for the configuration under the sliders.
  CheckRun& check_run() { return check_run_; }
  const CheckRun& check_run() const { return check_run_; }
  /// The site, the line and the execution that those panels look at.
  MemoryFocus& memory_focus() { return memory_focus_; }
  const MemoryFocus& memory_focus() const { return memory_focus_; }
  /// The layouts that one of the block's tiles may have.
  LayoutSearch& layout_search() { return layout_search_; }
  const LayoutSearch& layout_search() const { return layout_search_; }
  /// A line of the kernel's file was clicked, anywhere: its worst site is looked at, and the panels that show it come
  /// to the front.
  void show_line(std::uint32_t line, const std::string& inlined_place = "");
  /// The same for one site of a traced block.
  void show_site(const WindowSite& site);
  /// Called by both.
  std::function<void()> line_shown = [] {};
  /// A figure was clicked of which another panel shows more: that panel, by its id, comes to the front.
  std::function<void(const std::string& panel)> panel_wanted = [](const std::string&) {};
  /// The same; one that the workspace does not show is shown in the first workspace that has it.
  std::function<void(const std::string& panel)> panel_wanted_anywhere = [this](const std::string& panel) {
    panel_wanted(panel);
  };
  /// A point was made a side of the comparison, and the person goes to see it.
  std::function<void()> comparison_wanted = [] {};
  /// Whether the panels of the comparison are open, so that there is no way to offer there.
  std::function<bool()> comparison_is_shown = [] { return false; };

  /// The chosen device is not present and no point that is open has a latency.
  bool lacks_latency() const;
  /// No point that is open has a predicted latency.
  bool lacks_prediction() const;

  /// The lessons and what was answered in them.
  LessonReading& lesson_reading() { return lesson_reading_; }
  const LessonReading& lesson_reading() const { return lesson_reading_; }

  // --- the instruction at the play head ---
  /// nullptr where there is none. A new subject is a new object.
  const std::shared_ptr<const FragmentSubject>& fragment_subject() const { return fragment_subject_; }
  void show_fragments(std::shared_ptr<const FragmentSubject> subject) {
    fragment_subject_ = std::move(subject);
  }

  // --- the point that panels show in full ---
  /// The one that was clicked, else that under the sliders; nullptr while that is being made.
  Point shown_point() const { return shown_ ? shown_ : jobs_.current_point(); }
  /// Whether that is not the point under the sliders.
  bool shows_another_point() const { return shown_ != nullptr; }
  /// A click on a point, anywhere. The sliders go to a point of the open session that is of the chosen device. A
  /// recorded one, or one of another device, is shown as it is; sliders and device stay.
  void show_point(const Point& point);
  /// The point of a side of the comparison, as it is; the sliders stay.
  void show_side(Side side);
  /// Back to the point under the sliders.
  void stop_showing();
  /// The sliders take the kernel, the configuration and the shape of a point; the device stays. Undoable.
  void go_to(const Measurement& point);
  /// A second point, to be shown beside the first; nullptr for none. It ends when another kernel is chosen. It is also
  /// side A of the comparison, with the sliders as B, until another side is chosen there.
  Point compared_point() const { return compared_; }
  void compare_with(const Point& point);
  /// Takes it out of the open session, and offers to take that back. Not a recorded one.
  void remove_point(const Point& point);
  /// Until something else is done, undo brings a removed point back.
  bool can_restore_point() const { return removed_ != nullptr; }
  void restore_point();

  /// Called when a session was opened, recorded or not, and has several kernels: what compares them is wanted.
  std::function<void()> several_kernels_opened = [] {};
  /// The sliders as they were when the program was last closed; not undoable, and no point is asked for twice.
  void restore_experiment(const Experiment& experiment);

  /// From a panel that has not drawn all yet: update() then says that something changed.
  void draw_again() { notices_.draw_again(); }
  /// Once per frame: takes what the worker answered. Returns true when something changed and a frame must be drawn.
  bool update();
  Notices& notices() { return notices_; }
  const Notices& notices() const { return notices_; }
  /// For the status line: device, what is measured and what is not, what runs.
  std::string status_text() const;
  /// What goes on now: "point: compile", "opening sweep.json", "" when idle.
  std::string activity() const;
  const Installation& installation() const { return installation_; }

 private:
  void take_kernel_files(const KernelList::Former& former);
  void take_in_kernels(const std::vector<Point>& points);
  void take_session(OpenedBy by);
  void take_recorded(const RecordedSession& session);
  bool is_gone(const Point& point) const;
  void drop_sides();
  void drop_closed_points();
  void take_selection();
  void look_for_latencies() const;

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
  NeighboursAhead neighbours_;
  ComparisonPair comparison_{{kernels_, selection_, points_, jobs_, notices_}};
  /// Of the points when they were last looked at whether one has a latency, and a predicted one.
  mutable std::uint64_t latency_revision_ = ~std::uint64_t{0};
  mutable bool has_latency_ = false;
  mutable bool has_prediction_ = false;
  SweepChoice sweep_choice_;
  BlockTrace block_trace_{background_};
  BlockStepping block_stepping_;
  KernelCounts kernel_counts_;
  CodeListing code_listing_{"listing", background_};
  std::array<CodeListing, 2> side_listings_{CodeListing{"listing of A", background_},
                                            CodeListing{"listing of B", background_}};
  CodeDifference code_difference_{background_};
  CudaDifference cuda_difference_{background_};
  CheckRun check_run_;
  MemoryFocus memory_focus_;
  /// The kernel whose lines and sites it means.
  std::string focused_kernel_;
  LayoutSearch layout_search_{background_};
  std::shared_ptr<const FragmentSubject> fragment_subject_;
  LessonReading lesson_reading_;
  Point shown_;
  Point compared_;
  Point removed_;
  /// From the open session, and not yet brought back.
  std::set<Point> taken_out_;
  /// Under the sliders when the comparison began.
  std::string compared_from_;
};

}  // namespace tilescope
