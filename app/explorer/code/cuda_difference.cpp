#include "app/explorer/code/cuda_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/explorer/board.hpp"

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

/// Macros of an experiment; for a kernel outside the catalogue, only its parameters are known.
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

CudaDifference::CudaDifference(Board& board)
    : board_(board),
      pair_(board.get<ComparisonPair>()),
      point_sources_(board),
      task_(board.parts.background) {}

WantedSource CudaDifference::wanted(Side side) {
  const KernelDeclaration* kernel = pair_.kernel(side);
  const Experiment& experiment = asked_.experiments[index_of(side)];
  WantedSource wanted;
  wanted.side = side;
  wanted.kernel = experiment.kernel;
  wanted.macros = macros_of(kernel, experiment);
  wanted.why_none = why_no_source(kernel);
  wanted.file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  wanted.kernels_folder = board_.parts.installation.kernels;
  wanted.point = pair_.choice(side).point;
  if (!wanted.point) return wanted;
  if (const SourceFile* kept = point_sources_.find(*wanted.point)) wanted.kept = *kept;
  return wanted;
}

void CudaDifference::want() {
  Asked now{{pair_.choice(Side::a), pair_.choice(Side::b)},
            {pair_.experiment(Side::a), pair_.experiment(Side::b)},
            board_.parts.kernels.revision(),
            board_.parts.points.revision()};
  if (now == asked_) return;
  const bool has_new_files = now.kernels != asked_.kernels;
  asked_ = std::move(now);
  if (!is_chosen(pair_, Side::a) || !is_chosen(pair_, Side::b)) {
    wanted_.reset();
    return end(nullptr);
  }
  std::array<WantedSource, 2> both{wanted(Side::a), wanted(Side::b)};
  if (!has_new_files && wanted_ == both) return;  // Another point of the session has the same source.
  wanted_ = both;
  task_.start([this, both = std::move(both)]() -> BackgroundTasks::Continuation {
    return [this, made = compare(both)] { end(made); };
  });
}

std::optional<std::size_t> CudaDifference::take_clicked_row() {
  if (!clicked_ || !sources_ || waits()) return std::nullopt;
  const ClickedLine clicked = *std::exchange(clicked_, std::nullopt);
  const auto row = std::ranges::find_if(sources_->diff.rows, [&](const SourceDiffRow& at) {
    const auto& line = clicked.side == Side::a ? at.lines.left : at.lines.right;
    return at.file == 0 && !at.is_heading && line && *line + 1 == clicked.line;
  });
  if (row == sources_->diff.rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - sources_->diff.rows.begin());
}

void CudaDifference::end(std::shared_ptr<const ComparedSources> sources) {
  task_.drop();
  sources_ = std::move(sources);
  ++revision_;
}

}  // namespace tilescope
