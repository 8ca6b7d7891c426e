#include "profiler/measure/caches/reference_cache.hpp"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::size_t kept = 4;
constexpr std::size_t kept_rows =
    32;  // a slider's configurations write different rows; a few hundred KB each

// Moves the first element for which `is_wanted` is true to the front; returns false when there is none.
template <class List, class IsWanted>
bool bring_to_front(List& list, IsWanted is_wanted) {
  const auto found = std::find_if(list.begin(), list.end(), is_wanted);
  if (found == list.end()) return false;
  list.splice(list.begin(), list, found);
  return true;
}

template <class List, class Element>
void remember(List& list, Element element, std::size_t most) {
  list.push_front(std::move(element));
  if (list.size() > most) list.pop_back();
}

// The multiply-adds that a reference may cost, a few seconds on one core. A larger problem is checked on fewer rows,
// and the point reports how many.
constexpr std::int64_t multiply_adds = std::int64_t{1} << 34;

}  // namespace

reference::AttentionSizes attention_sizes(const Shape& shape, KernelResult result) {
  const auto format = shape.dtype == DataType::fp16 ? reference::Format::fp16 : reference::Format::bf16;
  return {shape.B,
          shape.Hq,
          shape.Hkv,
          shape.Sq,
          shape.Sk,
          shape.D,
          shape.causal,
          format,
          result == KernelResult::attention ? reference::Result::attention : reference::Result::scores};
}

std::shared_ptr<const CheckedProblem> ReferenceCache::get(const reference::AttentionSizes& sizes,
                                                          std::uint64_t seed,
                                                          const std::function<bool()>& cancelled) {
  const auto is_wanted = [&](const auto& problem) {
    return problem->sizes == sizes && problem->seed == seed;
  };
  if (bring_to_front(latest_, is_wanted)) return latest_.front();
  auto problem = std::make_shared<CheckedProblem>();
  problem->sizes = sizes;
  problem->seed = seed;
  problem->inputs = reference::make_inputs(sizes, seed);
  const std::int64_t most_rows = std::max<std::int64_t>(multiply_adds / (4 * sizes.Sk * sizes.D), 64);
  problem->reference = reference::compute_attention(sizes, problem->inputs, most_rows, cancelled);
  if (problem->reference.rows.empty()) return nullptr;
  remember(latest_, std::move(problem), kept);
  return latest_.front();
}

std::shared_ptr<const ProblemInputs> ReferenceCache::inputs(const reference::AttentionSizes& sizes,
                                                            std::uint64_t seed) {
  const auto is_wanted = [&](const auto& problem) {
    return problem->sizes == sizes && problem->seed == seed;
  };
  if (bring_to_front(latest_, is_wanted)) return latest_.front();
  if (bring_to_front(latest_inputs_, is_wanted)) return latest_inputs_.front();
  remember(
      latest_inputs_,
      std::make_shared<const ProblemInputs>(ProblemInputs{sizes, seed, reference::make_inputs(sizes, seed)}),
      kept);
  return latest_inputs_.front();
}

std::shared_ptr<const reference::AttentionReference> ReferenceCache::rows(
    const ProblemInputs& problem, const std::vector<std::int64_t>& rows,
    const std::function<bool()>& cancelled) {
  const bool is_known = bring_to_front(latest_rows_, [&](const Rows& known) {
    return known.sizes == problem.sizes && known.seed == problem.seed && known.reference->rows == rows;
  });
  if (is_known) return latest_rows_.front().reference;
  auto computed = std::make_shared<const reference::AttentionReference>(
      reference::compute_attention_rows(problem.sizes, problem.inputs, rows, cancelled));
  if (computed->rows.empty()) return nullptr;
  remember(latest_rows_, Rows{problem.sizes, problem.seed, computed}, kept_rows);
  return computed;
}

}  // namespace tilescope
