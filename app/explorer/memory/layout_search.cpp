#include "app/explorer/memory/layout_search.hpp"

#include <algorithm>
#include <utility>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/explanation/diagnose/parameter_change.hpp"
#include "profiler/explanation/tries/layout_answers.hpp"
#include "profiler/views/memory/array_declaration.hpp"

namespace tilescope {

/// Inputs of a search, and its progress.
struct LayoutSearch::Task {
  LayoutQuestion subject;
  KernelDeclaration kernel;
  DeviceModel device;
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> done = 0, count = 1;

  std::shared_ptr<const FoundLayouts> run();
};

std::shared_ptr<const FoundLayouts> LayoutSearch::Task::run() {
  SolverControl control;
  control.cancelled = [this] { return stop.load(); };
  control.progress = [this](std::size_t judged, std::size_t all) {
    done = judged;
    count = all;
  };
  return std::make_shared<const FoundLayouts>(find_layouts(subject, kernel, device, control));
}

LayoutSearch::LayoutSearch(Board& board, const std::string& tag)
    : board_(board),
      is_of_file_(!tag.empty()),
      block_(board.get<BlockRecorder>(tag)),
      focus_(board.get<MemoryFocus>(tag)),
      task_(board.parts.background) {}

LayoutSearch::~LayoutSearch() {
  stop();
}

void LayoutSearch::stop() {
  if (running_) running_->stop = true;
  running_.reset();
  task_.drop();
}

double LayoutSearch::progress() const {
  if (!running_) return 1;
  return static_cast<double>(running_->done) / static_cast<double>(std::max<std::size_t>(running_->count, 1));
}

void LayoutSearch::choose_tile(const std::string& name) {
  tile_ = name;
}

void LayoutSearch::choose_pitch(std::int64_t bytes) {
  pitch_ = std::max<std::int64_t>(bytes, 0);
}

// Another kernel's tile may have the same name, and means something else.
void LayoutSearch::forget_other_kernel(const RecordedBlock& block) {
  const std::string& kernel = block.kernel();
  const std::string before = std::exchange(kernel_, kernel);
  if (before.empty() || before == kernel) return;
  tile_.clear();
  pitch_ = 0;
}

// A site that the user focuses on selects its tile.
void LayoutSearch::follow_focus() {
  const auto block = block_.shown();
  if (!block || focus_.revision() == focus_revision_) return;
  focus_revision_ = focus_.revision();
  if (!focus_.is_chosen()) return;
  const std::optional<std::uint32_t> site = focus_.site_in(*block);
  if (site && block->recording.sites[*site].is_shared) tile_ = block->recording.sites[*site].tile;
}

void LayoutSearch::want() {
  block_.want();
  const auto block = block_.shown();
  if (block) forget_other_kernel(*block);
  follow_focus();
  check_applied();
  if (!block) {
    stop();
    subject_.reset();
    if (found_ && !block_.waits()) {
      found_.reset();
      ++revision_;
    }
    return;
  }
  LayoutQuestion subject{block, tile_, pitch_};
  if (subject_ == subject) return;
  start(std::move(subject));
}

void LayoutSearch::start(LayoutQuestion subject) {
  stop();
  subject_ = subject;
  running_ = std::make_shared<Task>();
  // The block may belong to another configuration than the one chosen by now.
  const Experiment& experiment = subject.block->experiment;
  if (const KernelDeclaration* kernel = board_.parts.kernels.find(experiment.kernel))
    running_->kernel = *kernel;
  const Selection& selection = board_.parts.selection;
  if (const DeviceModel* device =
          is_of_file_ ? &selection.device() : selection.find_device(experiment.device))
    running_->device = *device;
  running_->subject = std::move(subject);
  task_.start([this, task = running_]() -> BackgroundTasks::Continuation {
    return [this, found = task->run()] {
      running_.reset();
      found_ = found;
      ++revision_;
    };
  });
}

// The worst site is another one as soon as this one is repaired.
void LayoutSearch::keep_site() {
  const std::optional<std::uint32_t> site = focus_.site_in(*found_->block);
  if (!site) return;
  const std::optional<std::size_t> execution = focus_.chosen_execution();
  focus_.choose_site(found_->block->recording.sites[*site]);
  if (execution) focus_.choose_execution(*execution);
  focus_revision_ = focus_.revision();  // the tile that is applied stays, whichever this site's is
}

bool LayoutSearch::can_apply(std::size_t layout) const {
  if (!is_of_file_) return !found_->solved->layouts.at(layout).offered.empty();
  const auto added = added_columns(*found_, layout);
  const SourceTile* const tile = source_tile(*found_);
  return added && tile->can_grow && *added != 0;
}

std::string LayoutSearch::change_words(std::size_t layout) const {
  if (const auto added = added_columns(*found_, layout))
    return declaration_words(*source_tile(*found_), *added);
  const SolvedTile& solved = *found_->solved;
  const RankedLayout& ranked = solved.layouts.at(layout);
  if (ranked.offered.empty()) return "";
  const KernelLayout& there = solved.kernel_layouts[ranked.offered.front().layout];
  return to_string(ParameterChange{there.parameter, there.value});
}

void LayoutSearch::apply_to_file(std::size_t layout) {
  OpenedFile& opened = board_.get<OpenedFile>();
  const SolvedTile& solved = *found_->solved;
  const RankedLayout& ranked = solved.layouts.at(layout);
  const TileTotals before = totals_of(*found_->block, solved.tile.name);
  const std::string words = change_words(layout);
  tile_ = solved.tile.name;
  keep_site();
  const std::string choice = added_columns_choice(tile_);
  const auto now = opened.chosen().find(choice);
  const std::int64_t columns = now == opened.chosen().end() ? 0 : std::stoll(now->second);
  const std::int64_t wanted = columns + *added_columns(*found_, layout);
  opened.choose(choice, wanted == 0 ? "" : std::to_string(wanted));
  applied_ = Applied{words,
                     tile_,
                     before.wavefronts,
                     ranked.cost.wavefronts,
                     std::nullopt,
                     solved.shared_bytes,
                     solved.shared_bytes_with(ranked),
                     false};
  applied_block_ = found_->block;
  applied_values_ = opened.chosen();
  applied_version_ = opened.version();
  executions_before_ = before.executions;
}

void LayoutSearch::undo_in_file() {
  if (applied_) board_.get<OpenedFile>().choose(added_columns_choice(applied_->tile), "");
}

void LayoutSearch::apply(std::size_t layout) {
  if (is_of_file_) return apply_to_file(layout);
  const SolvedTile& solved = *found_->solved;
  const RankedLayout& ranked = solved.layouts.at(layout);
  const OfferedLayout& offer = ranked.offered.at(0);
  const KernelLayout& there = solved.kernel_layouts[offer.layout];
  const TileTotals before = totals_of(*found_->block, solved.tile.name);
  tile_ = solved.tile.name;  // it may have no excess any more, and stays nevertheless
  keep_site();
  Selection& selection = board_.parts.selection;
  Experiment experiment = selection.experiment();
  experiment.parameters[there.parameter] = there.value;
  selection.set_experiment(std::move(experiment));
  applied_ = Applied{to_string(ParameterChange{there.parameter, there.value}),
                     solved.tile.name,
                     before.wavefronts,
                     offer.wavefronts,
                     std::nullopt,
                     solved.shared_bytes,
                     there.shared_bytes,
                     false};
  applied_experiment_ = under_sliders(board_);
  executions_before_ = before.executions;
}

/// Whether what was applied is still there.
bool LayoutSearch::is_applied_one() const {
  if (!is_of_file_) return under_sliders(board_) == applied_experiment_;
  const OpenedFile& opened = board_.get<OpenedFile>();
  return opened.chosen() == applied_values_ && opened.version() == applied_version_;
}

void LayoutSearch::check_applied() {
  if (!applied_) return;
  if (!is_applied_one()) return applied_.reset();
  const auto block = block_.shown();
  if (applied_->recorded || !block || block_.waits()) return;
  if (is_of_file_ ? board_.get<OpenedFile>().waits() || block == applied_block_
                  : block->experiment != applied_experiment_.experiment)
    return;
  const TileTotals now = totals_of(*block, applied_->tile);
  applied_->recorded = now.wavefronts;
  applied_->shared_after = static_cast<std::int64_t>(block->shared_bytes());
  applied_->has_other_accesses = now.executions != executions_before_;
}

}  // namespace tilescope
