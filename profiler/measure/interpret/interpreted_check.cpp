#include "profiler/measure/interpret/interpreted_check.hpp"

#include <algorithm>

#include "profiler/measure/gpu/gpu_sequence.hpp"
#include "profiler/measure/interpret/unwritten_rows.hpp"

namespace tilescope {
namespace {

// The multiply-adds that a reference may cost: a tenth of a second on two cores for a sample, because a slider waits
// for it; a few seconds for a whole grid.
constexpr std::int64_t sample_multiply_adds = std::int64_t{1} << 28;
constexpr std::int64_t grid_multiply_adds = std::int64_t{1} << 34;
constexpr std::int64_t fewest_rows = 64;

std::vector<std::int64_t> rows_to_check(const std::vector<std::int64_t>& written,
                                        const ProblemInputs& problem, bool at_length) {
  const std::int64_t a_row = 4 * problem.sizes.Sk * problem.sizes.D;
  const std::int64_t affordable = (at_length ? grid_multiply_adds : sample_multiply_adds) / a_row;
  const auto most = static_cast<std::size_t>(std::max(affordable, fewest_rows));
  if (written.size() <= most) return written;
  std::vector<std::int64_t> rows(most);
  for (std::size_t i = 0; i < most; ++i) rows[i] = written[i * (written.size() - 1) / (most - 1)];
  return rows;
}

std::vector<bool> mask_of(const std::vector<ElementRange>& written, std::int64_t elements) {
  std::vector<bool> mask(static_cast<std::size_t>(elements), false);
  for (const ElementRange& range : written) {
    std::fill(mask.begin() + range.first, mask.begin() + range.end, true);
  }
  return mask;
}

}  // namespace

OutputCheck check_output(ReferenceCache& references, const ProblemInputs& problem, const Shape& shape,
                         const InterpretedOutput& output, bool at_length,
                         const std::function<bool()>& cancelled) {
  OutputCheck check;
  std::vector<std::int64_t> rows;  // that have anything written
  const std::vector<std::int64_t> by_row = written_by_row(output.written, problem.sizes);
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    if (by_row[row] > 0) rows.push_back(static_cast<std::int64_t>(row));
  }
  if (rows.empty()) {
    check.wrong = "the interpreted blocks wrote no row of the output";
    return check;
  }
  const auto reference = references.rows(problem, rows_to_check(rows, problem, at_length), cancelled);
  check.cancelled = reference == nullptr;
  if (check.cancelled) return check;
  const std::vector<bool> mask = mask_of(output.written, problem.sizes.result_elements());
  const reference::Comparison comparison =
      reference::compare(*reference, problem.sizes, output.values, &mask);
  check.error = Error{comparison.max_abs,
                      comparison.max_rel,
                      comparison.tolerance,
                      "interpreter",
                      static_cast<std::int64_t>(reference->rows.size()),
                      problem.sizes.rows()};
  if (!comparison.within) check.wrong = describe_error(comparison, shape, "interpreted");
  if (!output.is_of_whole_grid) return check;
  const std::string missing = describe(find_unwritten_rows(output.written, problem.sizes), shape);
  if (!missing.empty())
    check.wrong = missing + (check.wrong.empty() ? "" : "; of the written rows, " + check.wrong);
  return check;
}

}  // namespace tilescope
