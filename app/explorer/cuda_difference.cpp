#include "app/explorer/cuda_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/explorer/explorer.hpp"

namespace tilescope {
namespace {

std::shared_ptr<const ComparedSources> compare(const std::array<WantedSource, 2>& wanted) {
  auto sources = std::make_shared<ComparedSources>();
  for (const Side side : both_sides)
    sources->sides[index_of(side)] = find_side_source(wanted[index_of(side)]);
  if (!sources->has_both()) return sources;
  sources->diff = source_diff(*sources->side(Side::a).compiled, *sources->side(Side::b).compiled);
  for (const std::string& text : sources->diff.texts)
    sources->longest = std::max(sources->longest, text.size());
  return sources;
}

bool is_chosen(const ComparisonPair& pair, Side side) {
  return pair.choice(side).kind != SideChoice::Kind::none;
}

/// Of a kernel that is not in the catalogue its parameters alone are known.
KernelMacros macros_of(const KernelDeclaration* kernel, const Experiment& experiment) {
  return tilescope::macros_of(kernel == nullptr ? KernelDeclaration() : *kernel, experiment.parameters,
                              experiment.shape);
}

std::string why_no_source(const KernelDeclaration* kernel) {
  if (kernel == nullptr || !kernel->is_launched_by_library() || !kernel->entry.empty()) return "";
  return fmt::format(
      "{} is launched by {}, which brings its machine code: there is no CUDA source. Choose a "
      "kernel of the ladder.",
      kernel->name, proper_name(kernel->library));
}

}  // namespace

WantedSource CudaDifference::wanted(const Explorer& explorer, Side side) {
  const ComparisonPair& pair = explorer.comparison();
  const KernelDeclaration* kernel = pair.kernel(side);
  const Experiment& experiment = asked_.experiments[index_of(side)];
  WantedSource wanted;
  wanted.side = side;
  wanted.kernel = experiment.kernel;
  wanted.macros = macros_of(kernel, experiment);
  wanted.why_none = why_no_source(kernel);
  wanted.file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  wanted.kernels_folder = explorer.installation().kernels;
  wanted.point = pair.choice(side).point;
  if (!wanted.point) return wanted;
  if (const SourceFile* kept = point_sources_.find(explorer, *wanted.point)) wanted.kept = *kept;
  return wanted;
}

void CudaDifference::want(Explorer& explorer) {
  const ComparisonPair& pair = explorer.comparison();
  Asked now{{pair.choice(Side::a), pair.choice(Side::b)},
            {pair.experiment(Side::a), pair.experiment(Side::b)},
            explorer.kernels().revision(),
            explorer.points().revision()};
  if (now == asked_) return;
  const bool has_new_files = now.kernels != asked_.kernels;
  asked_ = std::move(now);
  if (!is_chosen(pair, Side::a) || !is_chosen(pair, Side::b)) {
    wanted_.reset();
    return end(nullptr);
  }
  std::array<WantedSource, 2> both{wanted(explorer, Side::a), wanted(explorer, Side::b)};
  if (!has_new_files && wanted_ == both) return;  // Another point of the session is no other source.
  wanted_ = std::move(both);
  start(explorer);
}

void CudaDifference::start(Explorer& explorer) {
  waits_ = true;
  background_.start([this, alive = std::weak_ptr<bool>(alive_), task = ++last_task_, both = *wanted_,
                     &explorer]() -> BackgroundTasks::Continuation {
    return [this, alive, task, made = compare(both), &explorer] {
      if (alive.expired() || task != last_task_) return;
      end(made);
      explorer.draw_again();
    };
  });
}

void CudaDifference::end(std::shared_ptr<const ComparedSources> sources) {
  waits_ = false;
  ++last_task_;
  sources_ = std::move(sources);
  ++revision_;
}

}  // namespace tilescope
