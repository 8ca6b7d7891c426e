#include "profiler/explanation/layouts/swizzle_solver.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "profiler/explanation/layouts/index_expression.hpp"
#include "profiler/explanation/layouts/layout_reason.hpp"

namespace tilescope {
namespace {

constexpr std::int64_t wmma_pitch_bytes = 16;

// Moves the tile elsewhere, with its accesses.
TileAccesses moved(TileAccesses tile, std::uint64_t base) {
  const std::uint64_t distance = base - tile.base;
  for (TileAccess& access : tile.accesses) {
    for (std::size_t lane = 0; lane < access.offsets.size(); ++lane) {
      if ((access.fixed_lanes >> lane & 1u) == 0) access.offsets[lane] += distance;
    }
  }
  tile.base = base;
  return tile;
}

// Indexes bytes where no elements are declared.
std::string expression_for(const CandidateLayout& layout, const SolverQuestion& question) {
  TileShape shape = question.elements.shape;
  if (!question.is_declared && !question.counts_elements) {
    shape.columns *= shape.element_bytes;
    shape.element_bytes = 1;
  }
  // Its rows are only a way to find it.
  const bool is_of_offset = layout.padding == 0 && (!layout.swizzle || layout.source == XorSource::offset);
  if (question.has_rows_of_lanes && is_of_offset)
    shape = {1, shape.rows * shape.columns, shape.element_bytes};
  return index_expression(layout, shape);
}

std::string words_of(const KernelLayout& layout) {
  return layout.parameter + "=" + to_string(layout.value);
}

class Solver {
 public:
  Solver(const BlockRecording& recording, SolverQuestion question, const SolverControl& control)
      : recording_(recording),
        question_(std::move(question)),
        control_(control),
        solved_(std::make_shared<SolvedTile>()),
        accesses_(tile_accesses(recording, question_.tile, question_.elements)) {
    for (const KernelLayout& layout : question_.kernel_layouts)
      kernel_places_.push_back(elements_of(*layout.tile.layout).places);
    is_taken_.resize(question_.kernel_layouts.size());
  }

  std::shared_ptr<const SolvedTile> solve() {
    const std::vector<std::uint32_t> row_major = places_of({}, shape());
    const bool is_usable = find_cut(accesses_, shape(), row_major).cut == Cut::none;
    example_ = cost_of(accesses_, is_usable ? row_major : question_.elements.places).worst;
    CandidateList candidates(shape(), accesses_.widest);
    if (!add_all(candidates.simple())) return nullptr;
    // Both together only where a padding leaves something to do.
    for (const std::int64_t padding : candidates.paddings()) {
      if (leaves_conflicts(padding) && !add_all(candidates.with_padding(padding))) return nullptr;
    }
    add_other_places();
    finish();
    return std::move(solved_);
  }

 private:
  const TileShape& shape() const { return question_.elements.shape; }
  std::int64_t payload() const { return shape().rows * shape().row_bytes(); }

  // False when it was cancelled.
  bool add_all(const std::vector<CandidateLayout>& candidates) {
    const std::size_t before = solved_->layouts.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (control_.cancelled()) return false;
      control_.progress(before + i, before + candidates.size());
      add(candidates[i], places_of(candidates[i], shape()), words_for(candidates[i]));
    }
    return true;
  }

  // Without declared rows it is unknown how they lie in the tile.
  std::string words_for(const CandidateLayout& layout) const {
    return !question_.is_declared && layout == CandidateLayout{} ? "as it is" : to_words(layout);
  }

  bool leaves_conflicts(std::int64_t padding) const {
    return std::any_of(solved_->layouts.begin(), solved_->layouts.end(), [&](const RankedLayout& layout) {
      return layout.layout == CandidateLayout{padding} && layout.works && layout.cost.excess() > 0;
    });
  }

  // Adds layouts that are not candidates: the present one, and others that the kernel has.
  void add_other_places() {
    const bool has_current = std::any_of(solved_->layouts.begin(), solved_->layouts.end(),
                                         [](const RankedLayout& layout) { return layout.is_current; });
    if (!has_current) add(std::nullopt, question_.elements.places, "as declared");
    for (std::size_t i = 0; i < kernel_places_.size(); ++i) {
      if (!is_taken_[i]) add(std::nullopt, kernel_places_[i], words_of(question_.kernel_layouts[i]));
    }
  }

  void add(const std::optional<CandidateLayout>& layout, const std::vector<std::uint32_t>& places,
           std::string words) {
    RankedLayout ranked;
    ranked.layout = layout;
    ranked.words = std::move(words);
    ranked.is_current = places == question_.elements.places;
    ranked.padding_bytes = ranked.is_current ? present_padding() : padding_of(layout, places);
    if (layout) {
      ranked.cutlass = cutlass_name(*layout);
      ranked.index = expression_for(*layout, question_);
    }
    judge(ranked, places);
    add_offers(ranked, places);
    solved_->layouts.push_back(std::move(ranked));
  }

  void judge(RankedLayout& ranked, const std::vector<std::uint32_t>& places) const {
    const ReasonedLayout reasoned{recording_, accesses_, shape(), places, ranked.layout};
    // The present layout works as it is: wide accesses may reach into its padding, which no other one has to keep.
    if (!ranked.is_current) {
      const CutRun cut = find_cut(accesses_, shape(), places);
      if (cut.cut != Cut::none) {
        ranked.reason = why_cut(reasoned, cut);
        return;
      }
      ranked.reason = why_no_wmma(ranked.layout);
      if (!ranked.reason.empty()) return;
    }
    const std::int64_t needed = question_.shared_bytes - present_padding() + ranked.padding_bytes;
    if (question_.max_shared_bytes > 0 && needed > question_.max_shared_bytes && !ranked.is_current) {
      ranked.reason = "Needs " + std::to_string(needed) + " B of shared memory; a block has " +
                      std::to_string(question_.max_shared_bytes) + " B on this device.";
      return;
    }
    ranked.cost = cost_of(accesses_, places);
    ranked.works = true;
    ranked.reason = why_it_costs(reasoned, ranked.cost, example_);
  }

  // wmma::load_matrix_sync takes an ldm that is a multiple of 16 B.
  std::string why_no_wmma(const std::optional<CandidateLayout>& layout) const {
    if (!layout || !accesses_.fixed_pitch_site) return "";
    const std::string place = "wmma on " + place_words(recording_.sites[*accesses_.fixed_pitch_site]);
    if (layout->swizzle) return place + " takes rows at one distance: a padding works, a swizzle does not.";
    const std::int64_t pitch = pitch_of(*layout, shape());
    if (pitch % wmma_pitch_bytes == 0) return "";
    return place + " takes rows at a multiple of 16 B; these lie " + std::to_string(pitch) + " B apart.";
  }

  std::int64_t present_padding() const { return std::max<std::int64_t>(0, question_.tile.bytes - payload()); }
  // Whole rows, padding included, are what a kernel makes room for.
  std::int64_t padding_of(const std::optional<CandidateLayout>& layout,
                          const std::vector<std::uint32_t>& places) const {
    const std::int64_t rows = layout ? shape().rows * pitch_of(*layout, shape()) : 0;
    return std::max(rows, footprint(places, shape())) - payload();
  }

  void add_offers(RankedLayout& ranked, const std::vector<std::uint32_t>& places) {
    for (std::size_t i = 0; i < kernel_places_.size(); ++i) {
      if (kernel_places_[i] != places) continue;
      is_taken_[i] = true;
      if (!ranked.works) continue;
      const auto base = static_cast<std::uint64_t>(question_.kernel_layouts[i].tile.offset);
      const bool is_moved = base != accesses_.base;
      const std::uint64_t wavefronts =
          is_moved ? cost_of(moved(accesses_, base), places).wavefronts : ranked.cost.wavefronts;
      ranked.offered.push_back({i, wavefronts});
    }
  }

  void finish() {
    // Order of simplicity: the present layout, then layouts with one rule, few bits, and rows near each
    // other.
    const auto rank = [](const RankedLayout& layout) {
      const auto rule = layout.layout.value_or(CandidateLayout{});
      const XorSwizzle swizzle = rule.swizzle.value_or(XorSwizzle{});
      const int parts = (rule.padding > 0 ? 1 : 0) + (rule.swizzle ? 1 : 0) + (layout.layout ? 0 : 3);
      const bool is_by_row = rule.source == XorSource::row;
      return std::tuple(!layout.works, layout.cost.wavefronts, layout.padding_bytes, !layout.is_current,
                        layout.offered.empty(), parts, is_by_row, swizzle.bits, swizzle.shift, -swizzle.base);
    };
    std::stable_sort(solved_->layouts.begin(), solved_->layouts.end(),
                     [&](const RankedLayout& a, const RankedLayout& b) { return rank(a) < rank(b); });
    const auto current = std::find_if(solved_->layouts.begin(), solved_->layouts.end(),
                                      [](const RankedLayout& layout) { return layout.is_current; });
    solved_->current = static_cast<std::size_t>(current - solved_->layouts.begin());
    solved_->tile = std::move(question_.tile);
    solved_->shape = shape();
    solved_->is_declared = question_.is_declared;
    solved_->has_rows_of_lanes = question_.has_rows_of_lanes;
    solved_->counts_elements = question_.is_declared || question_.counts_elements;
    solved_->kernel_layouts = std::move(question_.kernel_layouts);
    solved_->shared_bytes = question_.shared_bytes;
    solved_->max_shared_bytes = question_.max_shared_bytes;
    solved_->accesses = std::move(accesses_);
  }

  const BlockRecording& recording_;
  SolverQuestion question_;
  const SolverControl& control_;
  std::shared_ptr<SolvedTile> solved_;
  TileAccesses accesses_;
  /// See why_it_costs.
  std::size_t example_ = 0;
  /// By SolverQuestion::kernel_layouts.
  std::vector<std::vector<std::uint32_t>> kernel_places_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::shared_ptr<const SolvedTile> solve_layouts(const BlockRecording& recording, SolverQuestion question,
                                                const SolverControl& control) {
  return Solver(recording, std::move(question), control).solve();
}

}  // namespace tilescope
