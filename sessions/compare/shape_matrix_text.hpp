#pragma once

#include <string>
#include <vector>

#include "sessions/compare/shape_matrix.hpp"

namespace tilescope {

/// A matrix as texts, for a table of any kind. A cell is "12.30 (best)", "12.96 (1.054x)", "12.40 (1.008x ~)" within the
/// noise of the best, "-" without a point, or why there is no latency.
struct ShapeMatrixTable {
  /// "flash_scalar on L4, S512 D64 fp16: predicted p50 [µs]"
  std::string caption;
  /// Settings that all rows of a kernel share: "flash_scalar: BLOCK_N=64 NUM_WARPS=8"; empty if they share
  /// none.
  std::vector<std::string> common;
  /// "configuration", the shapes, "mean regret", "worst regret".
  std::vector<std::string> header;
  /// In the order of the matrix.
  std::vector<std::vector<std::string>> rows;
  /// The matrix's notes, then what the signs in the cells mean, in sentences.
  std::vector<std::string> notes;
};
ShapeMatrixTable shape_matrix_table(const ShapeMatrix& matrix);

/// Caption, table and notes. `most_rows` of the rows; a line says how many more there are.
std::string shape_matrix_markdown(const ShapeMatrix& matrix, std::size_t most_rows = 1000);

/// A line for each row at each shape: kernel, parameters, compiler, device, shape, status, kind, latency [us] with its
/// interval, ratio, whether it is within the noise of the best, why it is not ranked, and both regrets of the row.
std::string shape_matrix_csv(const ShapeMatrix& matrix);

}  // namespace tilescope
