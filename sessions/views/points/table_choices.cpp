#include "sessions/views/points/table_choices.hpp"

#include <algorithm>
#include <optional>

#include "sessions/views/points/metric_text.hpp"

namespace tilescope {

namespace {

/// Whether two rows have the same in a column. Figures are compared as numbers: writing them would be slower.
bool same_cell(const PointRow& a, const PointRow& b, const PointColumn& column) {
  if (column.metric != nullptr && column.metric->value != nullptr)
    return column.metric->value(*a.point) == column.metric->value(*b.point);
  if (!column.parameter.empty()) {
    const auto of_a = a.point->parameters.find(column.parameter);
    const auto of_b = b.point->parameters.find(column.parameter);
    const bool in_a = of_a != a.point->parameters.end();
    const bool in_b = of_b != b.point->parameters.end();
    return in_a == in_b && (!in_a || of_a->second == of_b->second);
  }
  return cell_text(a, column) == cell_text(b, column);
}

/// A rank says little about rows of different shapes, the latency is what rows are read for, and an older source is a
/// warning.
bool may_be_hidden_as_same(const PointColumn& column) {
  return column.tag != "rank" && column.tag != "p50" && column.tag != "predicted_p50" &&
         column.tag != "source";
}

bool is_hidden_as_same(const PointColumn& column, const ColumnContents& contents,
                       const TableChoices& choices) {
  return column.shown && !choices.shown.contains(column.tag) && may_be_hidden_as_same(column) &&
         contents.of(column) == ColumnContent::same;
}

/// "BLOCK_N = 64", "device L4", "bank conflicts 0.0 %"; what names itself stands alone: "Correct".
std::string constant_words(const PointRow& row, const PointColumn& column) {
  if (!column.parameter.empty()) return column.parameter + " = " + cell_text(row, column);
  if (column.metric != nullptr) return column.metric->name + " " + value_words(*column.metric, *row.point);
  const bool names_itself = column.tag == "shape" || column.tag == "status" || column.tag == "kind";
  return (names_itself ? "" : column.tag + " ") + cell_text(row, column);
}

}  // namespace

bool ColumnContents::update(const PointRows& rows, const std::vector<PointColumn>& columns) {
  const std::vector<PointRow>& list = rows.rows();
  const bool continues =
      rows.generation() == generation_ && rows.older_rows() == older_ && list.size() >= count_;
  const std::map<std::string, ColumnContent> former = contents_;
  const std::size_t former_several = several_.size();
  if (!continues) {
    contents_.clear();
    several_.clear();
    single_.clear();
    count_ = 0;
  }
  for (const PointColumn& column : columns) {
    const auto [entry, is_new] = contents_.try_emplace(column.tag, ColumnContent::empty);
    find_values(list, column, is_new ? 0 : count_);
    ColumnContent& content = entry->second;
    if (list.empty() || content == ColumnContent::varied) continue;
    if (is_new || count_ == 0)
      content = cell_text(list.front(), column).empty() ? ColumnContent::empty : ColumnContent::same;
    const std::size_t from = is_new ? 0 : count_;
    const bool all_same =
        std::all_of(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
                    [&](const PointRow& row) { return same_cell(list.front(), row, column); });
    if (!all_same) content = ColumnContent::varied;
  }
  generation_ = rows.generation();
  count_ = list.size();
  older_ = rows.older_rows();
  return contents_ != former || several_.size() != former_several;
}

void ColumnContents::find_values(const std::vector<PointRow>& rows, const PointColumn& column,
                                 std::size_t from) {
  if (column.parameter.empty() || several_.contains(column.tag)) return;
  for (std::size_t i = from; i < rows.size(); ++i) {
    const Configuration& parameters = rows[i].point->parameters;
    const auto value = parameters.find(column.parameter);
    if (value == parameters.end()) continue;
    if (single_.try_emplace(column.tag, value->second).first->second == value->second) continue;
    several_.insert(column.tag);
    return;
  }
}

ColumnContent ColumnContents::of(const PointColumn& column) const {
  const auto found = contents_.find(column.tag);
  if (found == contents_.end()) return ColumnContent::empty;
  // With one row, every value is the value of all rows.
  return found->second == ColumnContent::same && count_ < 2 ? ColumnContent::varied : found->second;
}

std::vector<std::string> to_lines(const TableChoices& choices) {
  std::vector<std::string> lines;
  if (!choices.sort.empty())
    lines.push_back(std::string("sort ") + (choices.descending ? "descending " : "ascending ") +
                    choices.sort);
  for (const auto& [tag, shown] : choices.shown) lines.push_back((shown ? "show " : "hide ") + tag);
  return lines;
}

void take_line(TableChoices& choices, const std::string& line) {
  const auto rest_after = [&line](const std::string& start) -> std::optional<std::string> {
    if (line.size() <= start.size() || line.compare(0, start.size(), start) != 0) return std::nullopt;
    return line.substr(start.size());
  };
  if (const auto shown = rest_after("show ")) choices.shown[*shown] = true;
  if (const auto hidden = rest_after("hide ")) choices.shown[*hidden] = false;
  for (const bool descending : {false, true}) {
    const auto sort = rest_after(descending ? "sort descending " : "sort ascending ");
    if (!sort) continue;
    choices.sort = *sort;
    choices.descending = descending;
  }
}

bool is_shown(const PointColumn& column, const ColumnContents& contents, const TableChoices& choices) {
  const auto chosen = choices.shown.find(column.tag);
  if (chosen != choices.shown.end()) return chosen->second;
  return column.shown && contents.of(column) != ColumnContent::empty &&
         !is_hidden_as_same(column, contents, choices);
}

std::vector<PointColumn> varying_first(std::vector<PointColumn> columns, const ColumnContents& contents) {
  const auto is_parameter = [](const PointColumn& column) { return !column.parameter.empty(); };
  const auto first = std::find_if(columns.begin(), columns.end(), is_parameter);
  const auto end = std::find_if_not(first, columns.end(), is_parameter);
  const auto is_varied = [&](const PointColumn& column) {
    return contents.of(column) == ColumnContent::varied;
  };
  const auto others = std::stable_partition(first, end, is_varied);
  std::stable_partition(first, others,
                        [&](const PointColumn& column) { return contents.has_several_values(column); });
  return columns;
}

std::string same_in_all_rows(const PointRow& row, const std::vector<PointColumn>& columns,
                             const ColumnContents& contents, const TableChoices& choices) {
  std::string text;
  for (const PointColumn& column : columns) {
    if (!is_hidden_as_same(column, contents, choices)) continue;
    text += (text.empty() ? "" : ", ") + constant_words(row, column);
  }
  return text;
}

std::vector<PointColumn> exported_columns(const std::vector<PointColumn>& columns,
                                          const ColumnContents& contents, const TableChoices& choices) {
  std::vector<PointColumn> exported;
  for (const PointColumn& column : columns) {
    if (is_shown(column, contents, choices) || is_hidden_as_same(column, contents, choices))
      exported.push_back(column);
  }
  return exported;
}

std::vector<std::uint32_t> ordered_rows(const PointRows& rows, const PointFilter& filter,
                                        const std::vector<PointColumn>& columns,
                                        const TableChoices& choices) {
  const auto chosen = std::find_if(columns.begin(), columns.end(),
                                   [&](const PointColumn& column) { return column.tag == choices.sort; });
  if (chosen == columns.end()) return rows.best_first(filter);
  return rows.ordered(filter, *chosen, choices.descending);
}

}  // namespace tilescope
