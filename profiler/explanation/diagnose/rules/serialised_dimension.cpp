#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

// Large enough that rounding up to tiles or to groups of heads does not hide the growth.
constexpr std::int64_t growth = 8;

enum class Dimension { batch, heads, queries };

Shape grown(Shape shape, Dimension dimension) {
  switch (dimension) {
    case Dimension::batch:
      shape.B *= growth;
      break;
    case Dimension::heads:
      shape.Hq *= growth;
      shape.Hkv *= growth;
      break;
    case Dimension::queries:
      shape.Sq *= growth;
      shape.Sk *= growth;
      break;
  }
  return shape;
}

// The threads of the grid by the declaration's expressions; none where they cannot be evaluated.
std::optional<std::int64_t> threads_of(const DiagnosisInput& input, const Shape& shape) {
  try {
    const LaunchGeometry geometry =
        launch_geometry(input.kernel, input.kernel.complete(input.point.parameters), shape, *input.device);
    return geometry.blocks() * geometry.threads;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Shapes of one batch, and of one batch of one group of heads: a persistent grid, as large as the GPU, grows from a
// small shape only.
std::vector<Shape> base_shapes(const Measurement& point) {
  Shape one_batch = point.shape;
  one_batch.B = 1;
  Shape one_head = one_batch;
  one_head.Hq = std::max<std::int64_t>(1, one_head.Hq / std::max<std::int64_t>(1, one_head.Hkv));
  one_head.Hkv = 1;
  Shape short_one = one_head;
  short_one.Sq = std::min<std::int64_t>(short_one.Sq, 16);
  return {one_batch, one_head, short_one};
}

// Whether the grid grows with a dimension from any of the shapes; none where that is not known.
std::optional<bool> grows_with(const DiagnosisInput& input, Dimension dimension) {
  bool grows = false;
  for (const Shape& base : base_shapes(input.point)) {
    const auto before = threads_of(input, base), after = threads_of(input, grown(base, dimension));
    if (!before || !after) return std::nullopt;
    grows = grows || *after > *before;
  }
  return grows;
}

Diagnosis diagnosis_of(const DiagnosisInput& input, Dimension dimension) {
  const bool is_batch = dimension == Dimension::batch;
  const Shape base = base_shapes(input.point).front();
  const std::string name = is_batch ? "B" : "Hq";
  const std::int64_t from = is_batch ? base.B : base.Hq;
  const std::int64_t threads = threads_of(input, base).value_or(0);
  return {.kind = "serialised_dimension",
          .severity = Severity::cost,
          .lines = {},
          .text = fmt::format("The grid does not grow with {}: a block computes all {} one after the other.",
                              name, is_batch ? "batches" : "heads"),
          .evidence = fmt::format(
              "{} threads with {} = {} and with {} = {} alike, by the expressions of the declaration: "
              "{} x {} x {} blocks.",
              format_count(threads), name, from, name, from * growth, input.kernel.grid[0],
              input.kernel.grid[1], input.kernel.grid[2]),
          .repair = is_batch ? "Make the batch a dimension of the grid: blockIdx.z instead of a loop."
                             : "Make the head a dimension of the grid: blockIdx.y instead of a loop.",
          .is_major = true};
}

std::vector<Diagnosis> find_serialised_dimension(const DiagnosisInput& input) {
  const bool has_grid = !input.kernel.is_launched_by_library() && !input.kernel.grid[0].empty();
  if (input.device == nullptr || !has_grid || input.kernel.role == KernelRole::micro) return {};
  const auto batch = grows_with(input, Dimension::batch), heads = grows_with(input, Dimension::heads),
             queries = grows_with(input, Dimension::queries);
  if (!batch || !heads || !queries) return {};
  // A grid that grows with nothing is sized by the GPU: its blocks take their work from a list.
  if (!*batch && !*heads && !*queries) return {};
  std::vector<Diagnosis> diagnoses;
  if (!*batch) diagnoses.push_back(diagnosis_of(input, Dimension::batch));
  if (!*heads) diagnoses.push_back(diagnosis_of(input, Dimension::heads));
  return diagnoses;
}

const RegisterRule register_serialised_dimension{
    {.kind = "serialised_dimension", .place = 6, .find = find_serialised_dimension}};

}  // namespace
}  // namespace tilescope
