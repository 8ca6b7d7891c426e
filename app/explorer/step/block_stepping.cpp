#include "app/explorer/step/block_stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/selection.hpp"

namespace tilescope {
namespace {

StepTarget to_slot(std::uint64_t slot) {
  StepTarget target;
  target.number = static_cast<std::int64_t>(slot);
  return target;
}

// A result that is not there yet has no value.
std::vector<std::optional<LaneWords>> words_of(const StepStop& stop, const FragmentView& view) {
  std::vector<std::optional<LaneWords>> words(view.registers.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto operand = std::ranges::find(stop.operands, view.registers[i].name, &OperandStop::name);
    const bool is_known =
        operand != stop.operands.end() && operand->bytes == 4 && operand->lanes.size() == simt::lane_count;
    if (!is_known || view.matrices[view.registers[i].matrix].is_result) continue;
    LaneWords& lanes = words[i].emplace();
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = static_cast<std::uint32_t>(operand->lanes[lane]);
  }
  return words;
}

std::shared_ptr<const FragmentSubject> fragment_subject(const StepStop& stop, std::uint64_t warp,
                                                        ptx::Type halves) {
  if (warp >= stop.warps.size() || stop.warps[warp].state == "ended") return nullptr;
  const WarpStop& shown = stop.warps[warp];
  auto subject = std::make_shared<FragmentSubject>();
  subject->instruction = shown.instruction;
  subject->place = warp_place_words(shown);
  subject->line = shown.line;
  subject->warp = static_cast<std::uint32_t>(warp);
  subject->halves = halves;
  subject->registers = words_of(stop, fragment_view(subject->instruction, subject->halves));
  return subject;
}

ptx::Type halves_of(const SteppedBlockChoice& choice) {
  if (choice.file) return ptx::Type::b16;
  return choice.experiment.shape.dtype == DataType::fp16 ? ptx::Type::f16 : ptx::Type::bf16;
}

// Whether the lines of a breakpoint mean the same in both.
bool is_same_source(const SteppedBlockChoice& a, const SteppedBlockChoice& b) {
  if (a.file.has_value() != b.file.has_value()) return false;
  return a.file ? a.file->subject.code.path == b.file->subject.code.path
                : a.experiment.kernel == b.experiment.kernel;
}

}  // namespace

BlockStepping::BlockStepping(Board& board, const std::string& tag)
    : board_(board), is_of_file_(!tag.empty()) {
  // Before this one, which asks it.
  if (is_of_file_) board.get<OpenedFile>();
}

void BlockStepping::want() {
  if (begins_anew()) {
    begin();
  } else if (stop_ && !is_outdated_ && view_ != asked_view_) {
    ask(to_slot(stop_->slot));
  }
}

// Another configuration, block or choice of inputs. A source that was saved meanwhile is said, and the stop stays.
bool BlockStepping::begins_anew() {
  if (is_of_file_) return begins_anew_in_file();
  AskedExperiment now = under_sliders(board_);
  if (!asked_ || asked_->experiment != now.experiment || choice_.block != block_ ||
      choice_.inputs != inputs_) {
    asked_ = std::move(now);
    return true;
  }
  const bool has_changed = asked_->source != now.source;
  if (has_changed && !stop_) {
    asked_ = std::move(now);
    return true;
  }
  if (has_changed == changed_source_.empty()) {
    changed_source_ =
        has_changed ? "The kernel's file was saved since stepping began: what is shown is the earlier source."
                    : "";
    ++revision_;
  }
  return false;
}

// Each execution of the file is a new point, and its block is recorded anew.
bool BlockStepping::begins_anew_in_file() {
  OpenedFile& opened = board_.get<OpenedFile>();
  opened.want();
  if (opened.waits()) {
    asked_file_.reset();
    is_outdated_ = stop_ != nullptr;
    if (!stop_) missing_ = {"Executing the kernel...", "Then one of its blocks is stepped."};
    return false;
  }
  if (asked_file_ == opened.shown() && choice_.block == block_) return false;
  asked_file_ = opened.shown();
  return true;
}

MissingAnswer BlockStepping::why_not_stepped() const {
  if (!is_of_file_) return why_not_interpreted(board_);
  if (!*asked_file_) return {"No kernel file", "Open one in the panel Kernel file."};
  if (choice_.file) return {};
  return {"The kernel did not run", "The panel Kernel file says why: " + (*asked_file_)->status + "."};
}

void BlockStepping::choose_subject() {
  SteppedBlockChoice choice;
  choice.block = block_;
  if (is_of_file_) {
    choice.file = board_.get<OpenedFile>().recorded_file();
  } else {
    choice.experiment = asked_->experiment;
    choice.inputs = inputs_;
  }
  if (!is_same_source(choice, choice_)) clear_breakpoints();
  choice_ = std::move(choice);
}

void BlockStepping::retry() {
  asked_.reset();
  asked_file_.reset();
}

void BlockStepping::begin(const std::optional<StepTarget>& at) {
  ++revision_;
  words_before_.clear();
  choose_subject();
  changed_source_.clear();
  not_found_.clear();
  for (NewestRequests::Handle* request : {&step_request_, &timeline_request_, &range_request_, &row_request_})
    request->cancel();
  MissingAnswer why_not = why_not_stepped();
  if (!why_not.heading.empty()) return end(std::move(why_not));
  is_outdated_ = stop_ != nullptr;
  if (!stop_)
    missing_ = {"Recording one block...",
                "The kernel is compiled, and its PTX is interpreted; no GPU is needed."};
  StepTarget start;
  start.kind = StepTarget::Kind::start;
  ask(at.value_or(begin_at_.value_or(start)));
}

void BlockStepping::restart() {
  retry();
  want();
}

void BlockStepping::ask(StepTarget target) {
  asked_view_ = view_;
  step_request_ = board_.parts.jobs.request<Step>("step", {choice_, std::move(target), view_},
                                                  {[this](StepStop stop) { take(std::move(stop)); }});
}

void BlockStepping::take(StepStop stop) {
  if (stop.status == Status::cancelled) {
    if (!stop_ || is_outdated_) retry();  // because the worker ended: it is asked for again
    return;
  }
  if (stop.status != Status::ok) {
    if (block_ != 0 && stop.status == Status::launch_failed) {
      block_ = 0;  // a smaller grid does not have the block any more
      return;
    }
    return end(why_failed("The block was not stepped", stop.status, stop.reason));
  }
  const bool is_first = !stop_ || is_outdated_;
  if (!is_first && stop_->slot != stop.slot) words_before_ = stop_->shared_words;
  choice_.source_sha256 = stop.source_sha256;
  not_found_ = stop.not_found;
  missing_ = {};
  is_outdated_ = false;
  stop_ = std::make_shared<const StepStop>(std::move(stop));
  fragments_ = fragment_subject(*stop_, asked_view_.warp, halves_of(choice_));
  ++revision_;
  if (is_first) ask_timeline();
}

void BlockStepping::ask_timeline() {
  timeline_.reset();
  range_.reset();
  row_.reset();
  asked_range_.reset();
  asked_row_.reset();
  const auto take_timeline = [this](StepTimeline timeline) {
    if (timeline.status != Status::ok) return;
    timeline_ = std::make_shared<const StepTimeline>(std::move(timeline));
    ++revision_;
  };
  timeline_request_ =
      board_.parts.jobs.request<StepTimelineRequest>("step timeline", {choice_, {}}, {take_timeline});
}

void BlockStepping::want_range(const StepRange& range) {
  if (!stop_ || is_outdated_ || !timeline_ || asked_range_ == range) return;
  asked_range_ = range;
  const auto take_range = [this](StepTimeline timeline) {
    if (timeline.status == Status::cancelled) return asked_range_.reset();
    if (timeline.status != Status::ok) return;
    range_ = std::make_shared<const StepTimeline>(std::move(timeline));
    ++revision_;
  };
  range_request_ =
      board_.parts.jobs.request<StepTimelineRequest>("step range", {choice_, range}, {take_range});
}

void BlockStepping::want_row(std::int64_t row) {
  if (!stop_ || is_outdated_ || asked_row_ == row) return;
  asked_row_ = row;
  const auto take_row = [this](StepRowHistory history) {
    if (history.status == Status::cancelled) return asked_row_.reset();
    if (history.status != Status::ok) history.missing = history.reason;
    row_ = std::make_shared<const StepRowHistory>(std::move(history));
    ++revision_;
  };
  row_request_ = board_.parts.jobs.request<StepRow>("step row", {choice_, row}, {take_row});
}

void BlockStepping::go(StepTarget target) {
  if (!stop_ || is_outdated_) return;
  target.from = stop_->slot;
  ask(target);
}

void BlockStepping::go_from_start(const StepTarget& target) {
  if (begins_anew()) {
    begin(target);
  } else {
    ask(target);
  }
}

void BlockStepping::toggle_breakpoint(const BreakpointLine& line) {
  if (breakpoints_.erase(line) == 0) breakpoints_.insert(line);
  ++revision_;
}

void BlockStepping::toggle_watch(std::uint64_t byte) {
  if (watched_bytes_.erase(byte) == 0) watched_bytes_.insert(byte);
  ++revision_;
}

void BlockStepping::clear_breakpoints() {
  breakpoints_.clear();
  watched_bytes_.clear();
  ++revision_;
}

void BlockStepping::go_on(bool backwards) {
  StepTarget target;
  target.kind = backwards ? StepTarget::Kind::start : StepTarget::Kind::end;
  if (has_breakpoints()) {
    target.kind = StepTarget::Kind::breakpoint;
    for (const BreakpointLine& one : breakpoints_) {
      if (one.file.empty()) {
        target.lines.push_back(one.line);
      } else {
        target.places.push_back(fmt::format("{}:{}", one.file, one.line));
      }
    }
    target.number = static_cast<std::int64_t>(view_.warp);
    target.bytes.assign(watched_bytes_.begin(), watched_bytes_.end());
    target.backwards = backwards;
  }
  go(std::move(target));
}

void BlockStepping::end(MissingAnswer missing) {
  missing_ = std::move(missing);
  stop_.reset();
  timeline_.reset();
  range_.reset();
  row_.reset();
  is_outdated_ = false;
  ++revision_;
}

}  // namespace tilescope
