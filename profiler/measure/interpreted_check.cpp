#include "profiler/measure/interpreted_check.hpp"

#include <algorithm>
#include <optional>

#include "profiler/measure/gpu_sequence.hpp"

namespace tilescope {
namespace {

constexpr std::uint16_t poison = 0xFFFF;

bool is_written(const std::vector<std::uint16_t>& output, std::int64_t row, std::int64_t columns) {
  const auto first = output.begin() + row * columns;
  return std::any_of(first, first + columns, [](std::uint16_t value) { return value != poison; });
}

// The multiply-adds that a reference may cost: a tenth of a second on two cores for a sample, which a slider waits for;
// some seconds for a whole grid.
constexpr std::int64_t sample_multiply_adds = std::int64_t{1} << 28;
constexpr std::int64_t grid_multiply_adds = std::int64_t{1} << 34;
constexpr std::int64_t fewest_rows = 64;

std::vector<std::int64_t> rows_to_check(const std::vector<std::int64_t>& written,
                                        const ProblemInputs& problem, bool whole_grid) {
  const std::int64_t a_row = 4 * problem.sizes.Sk * problem.sizes.D;
  const std::int64_t affordable = (whole_grid ? grid_multiply_adds : sample_multiply_adds) / a_row;
  const auto most = static_cast<std::size_t>(std::max(affordable, fewest_rows));
  if (written.size() <= most) return written;
  std::vector<std::int64_t> rows(most);
  for (std::size_t i = 0; i < most; ++i) rows[i] = written[i * (written.size() - 1) / (most - 1)];
  return rows;
}

std::string describe_row(std::int64_t row, const Shape& shape) {
  return "batch " + std::to_string(row / (shape.Sq * shape.Hq)) + ", head " +
         std::to_string(row / shape.Sq % shape.Hq) + ", query " + std::to_string(row % shape.Sq);
}

}  // namespace

OutputCheck check_output(ReferenceCache& references, const ProblemInputs& problem, const Shape& shape,
                         const std::vector<std::uint16_t>& output, bool whole_grid,
                         const std::function<bool()>& cancelled) {
  OutputCheck check;
  const std::int64_t total = problem.sizes.rows();
  std::vector<std::int64_t> written;
  std::int64_t first_unwritten = total;
  for (std::int64_t row = 0; row < total; ++row) {
    if (is_written(output, row, problem.sizes.result_columns())) {
      written.push_back(row);
    } else {
      first_unwritten = std::min(first_unwritten, row);
    }
  }
  if (written.empty()) {
    check.wrong = "no row of the output was written by the blocks that were interpreted";
    return check;
  }
  const auto reference = references.rows(problem, rows_to_check(written, problem, whole_grid), cancelled);
  check.cancelled = reference == nullptr;
  if (check.cancelled) return check;
  // The columns of a row of scores are the work of several blocks; those of a row of O are the work of one.
  const bool rows_in_parts = !whole_grid && problem.sizes.result == reference::Result::scores;
  const reference::Comparison comparison = reference::compare(
      *reference, problem.sizes, output, rows_in_parts ? std::optional(poison) : std::nullopt);
  check.error = Error{comparison.max_abs,
                      comparison.max_rel,
                      comparison.tolerance,
                      "interpreter",
                      static_cast<std::int64_t>(reference->rows.size()),
                      total};
  if (!comparison.within) check.wrong = describe_error(comparison, shape, "interpreted");
  const std::int64_t missing = total - static_cast<std::int64_t>(written.size());
  if (whole_grid && missing > 0) {
    check.wrong = std::to_string(missing) + " of " + std::to_string(total) +
                  " rows of the output were not written, the first at " +
                  describe_row(first_unwritten, shape) +
                  (check.wrong.empty() ? "" : "; of those that were, " + check.wrong);
  }
  return check;
}

}  // namespace tilescope
