#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/ladder.hpp"

namespace tilescope {

/// A point against A, as a column of a table.
struct ComparedColumn {
  SharedMeasurement point;
  /// The kernel.
  std::string name;
  Verdict verdict = Verdict::undecided;
  /// "3.45x"; "-" without a basis.
  std::string ratio;
  /// "8.10x to 31.00x", in the place of the ratio where the verdict is open; "" where none is known.
  std::string interval;
  /// Why this verdict, with the interval of the ratio.
  std::string reason;
};

/// A figure of all columns.
struct ComparedRow {
  struct Cell {
    std::string value;
    std::string difference;
    Tone tone = Tone::plain;
  };
  std::string section, label;
  /// Figure of A.
  std::string a;
  /// One for each column.
  std::vector<Cell> cells;
};

struct ComparedTable {
  std::vector<ComparedColumn> columns;
  std::vector<ComparedRow> rows;
};

inline constexpr std::size_t most_columns = 6;

/// The best point of each rung of a ladder's group against A, in the order of the ladder; the fastest where there are
/// more than most_columns. Empty where the group has no other point than A.
ComparedTable compared_columns(const Measurement& a, const LadderGroup& group);

std::string compared_columns_csv(const ComparedTable& table, const std::string& name_of_a);

}  // namespace tilescope
