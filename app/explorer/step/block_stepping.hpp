#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/step/fragment_subject.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"
#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

class Board;

/// The play head: one block of the configuration under the sliders, or with the tag block_of_file of the opened file's
/// kernel, stopped between two instructions, for the panels that show it. It begins with the first panel that wants it and
/// follows the sliders, or the file.
class BlockStepping {
 public:
  BlockStepping(Board& board, const std::string& tag);

  /// A panel that shows the stop says so in every frame: what is not there is asked for.
  void want();

  /// The newest stop; nullptr before the first, and where stepping cannot begin.
  std::shared_ptr<const StepStop> stop() const { return stop_; }
  /// The whole block as it was issued, in at most StepRange::cells cells; nullptr until it is there.
  std::shared_ptr<const StepTimeline> timeline() const { return timeline_; }
  /// The part requested by want_range, once it is there; else nullptr.
  std::shared_ptr<const StepTimeline> range() const { return range_; }
  /// The chosen row; nullptr until it is there.
  std::shared_ptr<const StepRowHistory> row() const { return row_; }
  /// The instruction at the stop; nullptr where there is none. A new subject is a new object.
  const std::shared_ptr<const FragmentSubject>& fragments() const { return fragments_; }
  /// Shows an instruction until the next stop.
  void show_fragments(std::shared_ptr<const FragmentSubject> subject) { fragments_ = std::move(subject); }
  /// For a panel without a stop: what is missing and how to get it. Empty with a stop.
  const MissingAnswer& missing() const { return missing_; }
  /// Whether the stop is of another configuration, which is awaited.
  bool is_outdated() const { return is_outdated_; }
  /// The source changed on disk since stepping began: a sentence, and restart() takes the new one. Else "".
  const std::string& changed_source() const { return changed_source_; }
  /// Why the last move found no stop: a sentence, else "".
  const std::string& not_found() const { return not_found_; }
  /// Counts up with each new stop, timeline, row and state.
  std::uint64_t revision() const { return revision_; }

  /// Makes the request of the next want() anew, where missing() can be retried.
  void retry();

  /// Goes somewhere: the newest move wins. `from` of the target is set here.
  void go(StepTarget target);
  /// Goes to the target from the start of the block, which is started first if necessary.
  void go_from_start(const StepTarget& target);
  /// Sets the place at which each block is begun; without a call it is the block's start.
  void begin_at(const StepTarget& place) { begin_at_ = place; }
  /// Begins anew with the kernel's file as it is now.
  void restart();

  // --- what panels show of the stop ---
  std::uint64_t block() const { return block_; }
  void choose_block(std::uint64_t block) { block_ = block; }
  StepInputs inputs() const { return inputs_; }
  void choose_inputs(StepInputs inputs) { inputs_ = inputs; }
  const StepView& view() const { return view_; }
  /// The stop is asked for again where it lacks something of the view.
  void choose_warp(std::uint64_t warp) { view_.warp = warp; }
  void choose_lane(std::optional<std::uint64_t> lane) { view_.lane = lane; }
  /// Whether a panel shows what lies in shared memory.
  void want_shared(bool wanted) { view_.shared = wanted; }
  /// The words of shared memory at the stop before this one, as StepStop::shared_words.
  const std::vector<std::optional<std::uint32_t>>& words_before() const { return words_before_; }
  /// A panel that shows a row says so in every frame; -1 for the one with the largest error.
  void want_row(std::int64_t row);
  /// A panel that shows single instructions says which rounds, in every frame.
  void want_range(const StepRange& range);
  /// Lines at which go_on() stops, and bytes of shared memory after whose writes it stops. Breakpoints of
  /// another kernel are forgotten.
  const std::set<BreakpointLine>& breakpoints() const { return breakpoints_; }
  void toggle_breakpoint(const BreakpointLine& line);
  const std::set<std::uint64_t>& watched_bytes() const { return watched_bytes_; }
  void toggle_watch(std::uint64_t byte);
  bool has_breakpoints() const { return !breakpoints_.empty() || !watched_bytes_.empty(); }
  void clear_breakpoints();
  /// To the nearest breakpoint, or to the end.
  void go_on(bool backwards = false);

 private:
  bool begins_anew();
  bool begins_anew_in_file();
  MissingAnswer why_not_stepped() const;
  void choose_subject();
  void begin(const std::optional<StepTarget>& at = std::nullopt);
  void ask(StepTarget target);
  void take(StepStop stop);
  void ask_timeline();
  void end(MissingAnswer missing);

  Board& board_;
  bool is_of_file_;
  std::optional<AskedExperiment> asked_;
  /// The point of the opened file; none before it was looked at.
  std::optional<std::shared_ptr<const OpenedFileView>> asked_file_;
  SteppedBlockChoice choice_;
  std::shared_ptr<const StepStop> stop_;
  std::shared_ptr<const StepTimeline> timeline_, range_;
  std::shared_ptr<const StepRowHistory> row_;
  std::shared_ptr<const FragmentSubject> fragments_;
  std::optional<StepRange> asked_range_;
  std::optional<std::int64_t> asked_row_;
  MissingAnswer missing_;
  std::string changed_source_, not_found_;
  std::uint64_t revision_ = 0;
  bool is_outdated_ = false;
  std::uint64_t block_ = 0;
  StepInputs inputs_ = StepInputs::random;
  StepView view_, asked_view_;
  std::set<BreakpointLine> breakpoints_;
  std::set<std::uint64_t> watched_bytes_;
  std::vector<std::optional<std::uint32_t>> words_before_;
  std::optional<StepTarget> begin_at_;
  NewestRequests::Handle step_request_, timeline_request_, range_request_, row_request_;
};

}  // namespace tilescope
