#include "app/explorer/block_stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/explorer/explorer.hpp"
#include "app/explorer/fragment_subject.hpp"

namespace tilescope {
namespace {

const std::string step_tag = "step", timeline_tag = "step timeline", range_tag = "step range",
                  row_tag = "step row";

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

std::shared_ptr<const FragmentSubject> fragment_subject(const Explorer& explorer, const StepStop& stop,
                                                        std::uint64_t warp) {
  if (warp >= stop.warps.size() || stop.warps[warp].state == "ended") return nullptr;
  const WarpStop& shown = stop.warps[warp];
  auto subject = std::make_shared<FragmentSubject>();
  subject->instruction = shown.instruction;
  subject->place = warp_place_words(shown);
  subject->line = shown.line;
  subject->warp = static_cast<std::uint32_t>(warp);
  const bool is_half = explorer.selection().experiment().shape.dtype == DataType::fp16;
  subject->halves = is_half ? ptx::Type::f16 : ptx::Type::bf16;
  subject->registers = words_of(stop, fragment_view(subject->instruction, subject->halves));
  return subject;
}

}  // namespace

template <class Request>
void BlockStepping::request(Explorer& explorer, const std::string& tag, typename Request::Params params,
                            std::function<void(typename Request::Answer)> take) {
  explorer.jobs().request<Request>(tag, std::move(params),
                                   [this, alive = std::weak_ptr<bool>(alive_), beginning = beginnings_,
                                    take = std::move(take), &explorer](typename Request::Answer answer) {
                                     if (alive.expired() || beginning != beginnings_) return;
                                     explorer.draw_again();
                                     take(std::move(answer));
                                   });
}

void BlockStepping::want(Explorer& explorer) {
  if (begins_anew(explorer)) {
    begin(explorer);
  } else if (stop_ && !is_outdated_ && view_ != asked_view_) {
    ask(explorer, to_slot(stop_->slot));
  }
}

// Another configuration, block or choice of inputs. A source that was saved meanwhile is said, and the stop stays.
bool BlockStepping::begins_anew(Explorer& explorer) {
  AskedExperiment now = under_sliders(explorer);
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

void BlockStepping::begin(Explorer& explorer, const std::optional<StepTarget>& at) {
  ++beginnings_;
  ++revision_;
  words_before_.clear();
  if (asked_->experiment.kernel != choice_.experiment.kernel) clear_breakpoints();
  choice_ = {asked_->experiment, block_, inputs_, ""};
  changed_source_.clear();
  not_found_.clear();
  for (const std::string& tag : {step_tag, timeline_tag, range_tag, row_tag}) explorer.jobs().cancel(tag);
  MissingAnswer why_not = why_not_interpreted(explorer);
  if (!why_not.heading.empty()) return end(std::move(why_not));
  is_outdated_ = stop_ != nullptr;
  if (!stop_)
    missing_ = {"Recording one block...",
                "The kernel is compiled, and its PTX is interpreted; no GPU is needed."};
  StepTarget start;
  start.kind = StepTarget::Kind::start;
  ask(explorer, at.value_or(begin_at_.value_or(start)));
}

void BlockStepping::restart(Explorer& explorer) {
  asked_.reset();
  want(explorer);
}

void BlockStepping::ask(Explorer& explorer, StepTarget target) {
  asked_view_ = view_;
  request<Step>(explorer, step_tag, {choice_, target, view_},
                [this, &explorer](StepStop stop) { take(explorer, std::move(stop)); });
}

void BlockStepping::take(Explorer& explorer, StepStop stop) {
  if (stop.status == Status::cancelled) {
    if (!stop_ || is_outdated_) asked_.reset();  // because the worker ended: it is asked for again
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
  explorer.show_fragments(fragment_subject(explorer, *stop_, asked_view_.warp));
  ++revision_;
  if (is_first) ask_timeline(explorer);
}

void BlockStepping::ask_timeline(Explorer& explorer) {
  timeline_.reset();
  range_.reset();
  row_.reset();
  asked_range_.reset();
  asked_row_.reset();
  request<StepTimelineRequest>(explorer, timeline_tag, {choice_, {}}, [this](StepTimeline timeline) {
    if (timeline.status != Status::ok) return;
    timeline_ = std::make_shared<const StepTimeline>(std::move(timeline));
    ++revision_;
  });
}

void BlockStepping::want_range(Explorer& explorer, const StepRange& range) {
  if (!stop_ || is_outdated_ || !timeline_ || asked_range_ == range) return;
  asked_range_ = range;
  ask_range(explorer);
}

void BlockStepping::ask_range(Explorer& explorer) {
  request<StepTimelineRequest>(explorer, range_tag, {choice_, *asked_range_}, [this](StepTimeline timeline) {
    if (timeline.status == Status::cancelled) return asked_range_.reset();
    if (timeline.status != Status::ok) return;
    range_ = std::make_shared<const StepTimeline>(std::move(timeline));
    ++revision_;
  });
}

void BlockStepping::want_row(Explorer& explorer, std::int64_t row) {
  if (!stop_ || is_outdated_ || asked_row_ == row) return;
  asked_row_ = row;
  ask_row(explorer);
}

void BlockStepping::ask_row(Explorer& explorer) {
  request<StepRow>(explorer, row_tag, {choice_, *asked_row_}, [this](StepRowHistory row) {
    if (row.status == Status::cancelled) return asked_row_.reset();
    if (row.status != Status::ok) row.missing = row.reason;
    row_ = std::make_shared<const StepRowHistory>(std::move(row));
    ++revision_;
  });
}

void BlockStepping::go(Explorer& explorer, StepTarget target) {
  if (!stop_ || is_outdated_) return;
  target.from = stop_->slot;
  ask(explorer, target);
}

void BlockStepping::go_from_start(Explorer& explorer, const StepTarget& target) {
  if (begins_anew(explorer)) {
    begin(explorer, target);
  } else {
    ask(explorer, target);
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

void BlockStepping::go_on(Explorer& explorer, bool backwards) {
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
  go(explorer, std::move(target));
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
