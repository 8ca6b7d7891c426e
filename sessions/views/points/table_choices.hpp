#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sessions/views/points/point_columns.hpp"
#include "sessions/views/points/point_rows.hpp"

namespace tilescope {

/// Contents of the rows in one column.
enum class ColumnContent {
  empty,
  /// Two or more rows, all with the same value.
  same,
  varied,
};

/// Which columns of a table say something. Grows with the rows, so that ten thousand of them are compared once.
class ColumnContents {
 public:
  /// Returns whether any content changed. `columns` are matched by their tags: a column may move.
  bool update(const PointRows& rows, const std::vector<PointColumn>& columns);
  ColumnContent of(const PointColumn& column) const;
  /// Whether rows have different values of a parameter: not where some of them have none.
  bool has_several_values(const PointColumn& column) const { return several_.contains(column.tag); }

 private:
  void find_values(const std::vector<PointRow>& rows, const PointColumn& column, std::size_t from);

  std::map<std::string, ColumnContent> contents_;
  /// Parameters' columns with several values, and the value of those with one so far.
  std::set<std::string> several_;
  std::map<std::string, ParameterValue> single_;
  std::uint64_t generation_ = 0;
  /// Rows that were compared.
  std::size_t count_ = 0;
  /// Number of these rows of an older source: only their cells change.
  std::size_t older_ = 0;
};

/// The user's choices for the table: kept when kernel, session or points change, and across a restart.
struct TableChoices {
  /// Columns that were shown or hidden by hand, by tag.
  std::map<std::string, bool> shown;
  /// The tag of the column that the rows are sorted by, "" for best first.
  std::string sort;
  bool descending = false;

  bool operator==(const TableChoices&) const = default;
};

/// One line for each choice: "hide regs", "sort descending p50".
std::vector<std::string> to_lines(const TableChoices& choices);
/// Takes one line of to_lines(); one that it does not know is left out.
void take_line(TableChoices& choices, const std::string& line);

/// Whether a column is shown: as the user chose it, else if it is one of the usual ones and its values differ
/// between rows.
bool is_shown(const PointColumn& column, const ColumnContents& contents, const TableChoices& choices);

/// The columns with the parameters that vary before the others: those with several values, then those that some rows do not
/// have.
std::vector<PointColumn> varying_first(std::vector<PointColumn> columns, const ColumnContents& contents);

/// The columns that are hidden because they are the same in all rows, with their value: "BLOCK_N = 64, device L4". ""
/// for none. `row` is any of the rows.
std::string same_in_all_rows(const PointRow& row, const std::vector<PointColumn>& columns,
                             const ColumnContents& contents, const TableChoices& choices);

/// The columns of an exported table: those that are shown, and those that are hidden as the same in all rows.
std::vector<PointColumn> exported_columns(const std::vector<PointColumn>& columns,
                                          const ColumnContents& contents, const TableChoices& choices);

/// The rows in the order that was chosen, best first where none was or where its column is not there.
std::vector<std::uint32_t> ordered_rows(const PointRows& rows, const PointFilter& filter,
                                        const std::vector<PointColumn>& columns, const TableChoices& choices);

}  // namespace tilescope
