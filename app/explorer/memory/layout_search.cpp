#include "app/explorer/memory/layout_search.hpp"

#include <algorithm>
#include <utility>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/selection.hpp"

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

LayoutSearch::LayoutSearch(Board& board)
    : board_(board),
      block_(board.get<BlockRecorder>()),
      focus_(board.get<MemoryFocus>()),
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
  const std::string& kernel = block.experiment.kernel;
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
  if (const DeviceModel* device = board_.parts.selection.find_device(experiment.device))
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

void LayoutSearch::apply(std::size_t layout) {
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
  applied_ = Applied{{there.parameter, there.value},
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

void LayoutSearch::check_applied() {
  if (!applied_) return;
  if (under_sliders(board_) != applied_experiment_) return applied_.reset();
  const auto block = block_.shown();
  if (applied_->recorded || !block || block_.waits() || block->experiment != applied_experiment_.experiment)
    return;
  const TileTotals now = totals_of(*block, applied_->tile);
  applied_->recorded = now.wavefronts;
  applied_->shared_after = static_cast<std::int64_t>(block->shared_bytes());
  applied_->has_other_accesses = now.executions != executions_before_;
}

}  // namespace tilescope
