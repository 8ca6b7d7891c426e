#include "profiler/measure/interpreted_check.hpp"

#include <algorithm>

#include "profiler/measure/gpu_sequence.hpp"

namespace tilescope {
namespace {

constexpr std::uint16_t poison = 0xFFFF;

bool is_written(const std::vector<std::uint16_t>& output, std::int64_t row, std::int64_t columns) {
  const auto first = output.begin() + row * columns;
  return std::any_of(first, first + columns, [](std::uint16_t value) { return value != poison; });
}

// The reference's rows that were written. The tolerance stays that of the whole reference.
reference::AttentionReference written_rows(const CheckedProblem& problem,
                                           const std::vector<std::uint16_t>& output) {
  const std::int64_t columns = problem.sizes.D;
  reference::AttentionReference part;
  part.max_abs_output = problem.reference.max_abs_output;
  part.plain_max_error = problem.reference.plain_max_error;
  for (std::size_t i = 0; i < problem.reference.rows.size(); ++i) {
    const std::int64_t row = problem.reference.rows[i];
    if (!is_written(output, row, columns)) continue;
    part.rows.push_back(row);
    const auto first = problem.reference.output.begin() + static_cast<std::int64_t>(i) * columns;
    part.output.insert(part.output.end(), first, first + columns);
  }
  return part;
}

std::string describe_row(std::int64_t row, const Shape& shape) {
  return "batch " + std::to_string(row / (shape.Sq * shape.Hq)) + ", head " +
         std::to_string(row / shape.Sq % shape.Hq) + ", query " + std::to_string(row % shape.Sq);
}

}  // namespace

OutputCheck check_output(const CheckedProblem& problem, const Shape& shape,
                         const std::vector<std::uint16_t>& output, bool whole_grid) {
  OutputCheck check;
  const std::int64_t rows = problem.sizes.rows();
  std::int64_t first_unwritten = rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (is_written(output, row, problem.sizes.D)) {
      ++check.rows_written;
    } else {
      first_unwritten = std::min(first_unwritten, row);
    }
  }
  const reference::AttentionReference part = written_rows(problem, output);
  if (!part.rows.empty()) {
    const reference::Comparison comparison = reference::compare(part, problem.sizes, output);
    check.error = Error{comparison.max_abs,
                        comparison.max_rel,
                        comparison.tolerance,
                        "interpreter",
                        static_cast<std::int64_t>(part.rows.size()),
                        rows};
    if (!comparison.within) check.wrong = describe_error(comparison, shape, "interpreted");
  }
  if (check.rows_written == 0) {
    check.wrong = "no row of the output was written by the blocks that were interpreted";
  } else if (whole_grid && check.rows_written < rows) {
    check.wrong = std::to_string(rows - check.rows_written) + " of " + std::to_string(rows) +
                  " rows of the output were not written, the first at " +
                  describe_row(first_unwritten, shape) +
                  (check.wrong.empty() ? "" : "; of those that were, " + check.wrong);
  }
  return check;
}

}  // namespace tilescope
