// Nsight Compute's tables: `ncu --csv --page raw` has one row for each launch and a row of units, `--page details` one
// row for each metric of a launch. Both may stand between lines of the profiler ("==PROF==") and of the program.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/typed_number.hpp"
#include "sessions/import/csv_rows.hpp"
#include "sessions/import/imported_samples.hpp"
#include "sessions/import/ncu_units.hpp"
#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

/// Columns that do not hold metrics.
constexpr std::array<std::string_view, 21> launch_columns{"ID",
                                                          "Process ID",
                                                          "Process Name",
                                                          "Host Name",
                                                          "Kernel Name",
                                                          "Kernel Time",
                                                          "Context",
                                                          "Stream",
                                                          "Block Size",
                                                          "Grid Size",
                                                          "Device",
                                                          "CC",
                                                          "Section Name",
                                                          "Metric Name",
                                                          "Metric Unit",
                                                          "Metric Value",
                                                          "Rule Name",
                                                          "Rule Type",
                                                          "Rule Description",
                                                          "Estimated Speedup Type",
                                                          "Estimated Speedup"};

constexpr const char* duration_metric = "gpu__time_duration.sum";
/// As the page of details names it.
constexpr const char* duration_label = "GPU Speed Of Light Throughput / Duration";
/// How every name of a launch's time begins, such as "gpu__time_duration.max".
constexpr const char* duration_metrics = "gpu__time_duration.";
constexpr const char* device_name_metric = "device__attribute_display_name";

/// One launch of a kernel.
struct Launch {
  std::string kernel;
  std::string grid;
  std::string block;
  /// "8.9"; "" where the table has no such column.
  std::string capability;
  std::string device;
  /// In ncu's base units.
  std::map<std::string, double> counters;

  auto key() const { return std::tie(kernel, grid, block, capability, device); }
};

std::size_t start_of_table(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const bool has_id = line.starts_with("\"ID\",") || line.starts_with("ID,");
    if (has_id && line.find("Kernel Name") != std::string_view::npos) return at;
    at += line.size() + 1;
  }
  return std::string_view::npos;
}

std::string line_words(std::size_t line) {
  return "line " + std::to_string(line);
}

/// The columns of the table by their names.
class Columns {
 public:
  explicit Columns(const CsvRow& header) : header_(header) {
    if (!has("Kernel Name")) throw FormatError(line_words(header.line), "there is no column Kernel Name");
  }

  bool has(std::string_view name) const { return index(name) < header_.fields.size(); }
  /// "" where the table or the row does not have it.
  std::string cell(const CsvRow& row, std::string_view name) const {
    const std::size_t at = index(name);
    return at < row.fields.size() ? row.fields[at] : std::string();
  }
  /// Whether the row has the column's field, which may be empty.
  bool reaches(const CsvRow& row, std::string_view name) const { return index(name) < row.fields.size(); }
  const std::vector<std::string>& names() const { return header_.fields; }

 private:
  std::size_t index(std::string_view name) const {
    const auto found = std::find(header_.fields.begin(), header_.fields.end(), name);
    return static_cast<std::size_t>(found - header_.fields.begin());
  }

  const CsvRow& header_;
};

/// "(256, 1, 1)" as "256x1x1", of versions without brackets too. "" where the table or the row does not have it.
std::string sizes_in(const Columns& columns, const CsvRow& row, const char* column) {
  std::string text;
  for (const char letter : columns.cell(row, column)) {
    if (letter == ',' || letter == 'x')
      text += 'x';
    else if (letter != ' ' && letter != '(' && letter != ')')
      text += letter;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto size = whole_number_from(std::string_view(text).substr(begin, end - begin));
    if (!size || *size == 0 || end + 1 == text.size()) {
      throw FormatError(line_words(row.line) + ", " + column,
                        "'" + columns.cell(row, column) + "' is not sizes such as (128, 1, 1), each from 1");
    }
    begin = end + 1;
  }
  return text;
}

/// "8.9"
std::string capability_in(const Columns& columns, const CsvRow& row) {
  std::string cell = columns.cell(row, "CC");
  if (cell.find_first_not_of("0123456789.") == std::string::npos) return cell;
  throw FormatError(line_words(row.line) + ", CC", "'" + cell + "' is not a compute capability such as 8.9");
}

Launch launch_of(const Columns& columns, const CsvRow& row) {
  return {columns.cell(row, "Kernel Name"),
          sizes_in(columns, row, "Grid Size"),
          sizes_in(columns, row, "Block Size"),
          capability_in(columns, row),
          {},
          {}};
}

bool is_duration(const std::string& metric) {
  return metric.starts_with(duration_metrics) || metric == duration_label;
}

/// A time that was not measured is an empty cell or "n/a"; everything else must be a time.
bool is_not_measured(const std::string& cell) {
  return cell.find_first_not_of(' ') == std::string::npos || cell.find("n/a") != std::string::npos;
}

void check_duration(const std::string& cell, std::optional<double> number, const std::string& unit) {
  if (!number && is_not_measured(cell)) return;
  if (!number || !(*number > 0))
    throw std::invalid_argument("'" + cell + "' is not a time, which is more than 0");
  if (!is_time(unit))
    throw std::invalid_argument("its unit is '" + unit + "', where ns, us, ms or s is expected");
}

std::optional<double> value_at(const CsvRow& row, const std::string& metric, const std::string& cell,
                               const std::string& unit) {
  try {
    const std::optional<double> number = ncu_number(cell);
    if (is_duration(metric)) check_duration(cell, number, unit);
    if (!number) return std::nullopt;
    if (*number < 0 && metric.starts_with("launch__"))
      throw std::invalid_argument("'" + cell +
                                  "' is negative, and a launch has only counts and sizes from 0");
    return *number * ncu_scale(unit);
  } catch (const std::invalid_argument& error) {
    throw FormatError(line_words(row.line) + ", " + metric, error.what());
  }
}

void add_metric(Launch& launch, const CsvRow& row, const std::string& metric, const std::string& cell,
                const std::string& unit) {
  if (metric == device_name_metric) launch.device = cell;
  if (const auto value = value_at(row, metric, cell, unit)) launch.counters[metric] = *value;
}

/// Rows of the profiler and of the program, which stand between the table's, have another number of fields.
bool is_of_table(const CsvRow& row, const Columns& columns) {
  const bool begins_with_number = !row.fields.empty() && !row.fields[0].empty() &&
                                  row.fields[0].find_first_not_of("0123456789") == std::string::npos;
  if (!begins_with_number || row.fields.size() < 2) return false;
  if (row.fields.size() > columns.names().size()) {
    throw FormatError(line_words(row.line), std::to_string(row.fields.size()) +
                                                " fields, where the header has " +
                                                std::to_string(columns.names().size()));
  }
  return true;
}

constexpr const char* cut_off_row = "the row is cut off: run ncu again, or remove the line";

/// ncu ends every line with a line break. A last line without one may end inside a number, unless all its fields are
/// there and the last one has its closing quote.
void refuse_cut_end(std::string_view text, const CsvRow& last, const Columns& columns) {
  const bool begins_with_number =
      !last.fields[0].empty() && last.fields[0].find_first_not_of("0123456789") == std::string::npos;
  if (text.ends_with('\n') || !begins_with_number) return;
  if (last.fields.size() == columns.names().size() && text.ends_with('"')) return;
  throw FormatError(
      line_words(last.line),
      "the file ends within this line, where a number may be cut off: write the file again, or remove "
      "the line");
}

std::vector<Launch> launches_of_raw_page(const std::vector<CsvRow>& rows, const Columns& columns) {
  std::vector<Launch> launches;
  launches.reserve(rows.size());
  const CsvRow none;
  const CsvRow* units = &none;
  for (const CsvRow& row : rows) {
    if (row.fields.size() == columns.names().size() && row.fields[0].empty()) units = &row;
    if (!is_of_table(row, columns)) continue;
    if (row.fields.size() < columns.names().size()) throw FormatError(line_words(row.line), cut_off_row);
    Launch& launch = launches.emplace_back(launch_of(columns, row));
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const std::string& name = columns.names()[i];
      if (std::find(launch_columns.begin(), launch_columns.end(), name) != launch_columns.end()) continue;
      add_metric(launch, row, name, row.fields[i], i < units->fields.size() ? units->fields[i] : "");
    }
  }
  return launches;
}

/// A metric's own name, or the label of a section with the section, because labels repeat.
std::string metric_name(const std::string& section, const std::string& metric) {
  return metric.find("__") != std::string::npos ? metric : section + " / " + metric;
}

std::vector<Launch> launches_of_details_page(const std::vector<CsvRow>& rows, const Columns& columns) {
  std::vector<Launch> launches;
  std::map<std::string, std::size_t> by_id;
  for (const CsvRow& row : rows) {
    if (!is_of_table(row, columns)) continue;
    const std::string process = columns.cell(row, "Process ID");
    const auto [entry, is_new] = by_id.emplace(row.fields[0] + " " + process, launches.size());
    if (is_new) launches.push_back(launch_of(columns, row));
    const std::string metric = columns.cell(row, "Metric Name");
    if (metric.empty()) continue;  // The row of a rule.
    if (!columns.reaches(row, "Metric Value")) throw FormatError(line_words(row.line), cut_off_row);
    add_metric(launches[entry->second], row, metric_name(columns.cell(row, "Section Name"), metric),
               columns.cell(row, "Metric Value"), columns.cell(row, "Metric Unit"));
  }
  return launches;
}

/// [us] None where the launch was not timed.
std::optional<double> duration_of(const Launch& launch) {
  for (const char* name :
       {duration_metric, "gpu__time_duration.max", "gpu__time_duration.avg", duration_label}) {
    const auto found = launch.counters.find(name);
    if (found != launch.counters.end()) return found->second * 1e-3;
  }
  return std::nullopt;
}

using LaunchGroup = std::vector<const Launch*>;

/// The launches of one kernel with one grid, in the order of the file.
std::vector<LaunchGroup> grouped(const std::vector<Launch>& launches) {
  std::vector<LaunchGroup> groups;
  std::map<decltype(launches.front().key()), std::size_t> places;
  for (const Launch& launch : launches) {
    const auto [place, is_new] = places.emplace(launch.key(), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&launch);
  }
  return groups;
}

/// The median of each counter over the launches that have it.
std::map<std::string, double> counters_of(const LaunchGroup& group) {
  std::map<std::string, std::vector<double>> values;
  for (const Launch* launch : group) {
    for (const auto& [name, value] : launch->counters) values[name].push_back(value);
  }
  std::map<std::string, double> counters;
  for (auto& [name, list] : values) counters[name] = recorded_statistics(std::move(list)).p50_us;
  return counters;
}

void add_latency(Measurement& point, const LaunchGroup& group) {
  std::vector<double> times;
  times.reserve(group.size());
  for (const Launch* launch : group) {
    if (const std::optional<double> time = duration_of(*launch)) times.push_back(*time);
  }
  if (times.empty()) {
    point.notes.push_back("No latency: " + std::string(duration_metric) + " was not collected.");
    return;
  }
  point.latency = latency_of(recorded_statistics(std::move(times)), "ncu", point.notes);
  add_speed(*point.latency, point.shape);
  point.notes.push_back(
      "The latency is the profiler's gpu__time_duration, the median over the launches: without warm-up, at "
      "the clocks that the profiler sets, and by default with cleared caches.");
}

std::string arch_of(const std::string& capability) {
  std::string digits;
  for (const char letter : capability) {
    if (letter >= '0' && letter <= '9') digits += letter;
  }
  return digits.empty() ? "" : "sm_" + digits;
}

Measurement point_of(const LaunchGroup& group, const ImportOptions& options) {
  const Launch& first = *group.front();
  Configuration parameters;
  if (!first.grid.empty()) parameters["grid"] = first.grid;
  if (!first.block.empty()) parameters["block"] = first.block;
  Measurement point =
      imported_point(options, first.kernel, {first.device, arch_of(first.capability), true}, parameters);
  point.counters = counters_of(group);
  add_latency(point, group);
  if (group.size() > 1) {
    point.notes.push_back("Counters are medians over " + std::to_string(group.size()) + " launches.");
  }
  return point;
}

/// One name for several kernels would hide that they are different.
void check_kernel_option(const std::vector<LaunchGroup>& groups, const ImportOptions& options) {
  if (options.kernel.empty()) return;
  std::set<std::string_view> known;
  std::vector<std::string> names;
  for (const LaunchGroup& group : groups) {
    if (known.insert(group.front()->kernel).second) names.push_back(group.front()->kernel);
  }
  if (names.size() < 2) return;
  throw FormatError("Kernel Name", "the file has " + std::to_string(names.size()) + " kernels (" + names[0] +
                                       ", " + names[1] + (names.size() > 2 ? ", ..." : "") +
                                       "): leave --kernel out, or profile one with ncu --kernel-name");
}

}  // namespace

bool is_ncu(std::string_view text) {
  return start_of_table(text) != std::string_view::npos;
}

ImportedFile read_ncu(const ImportSource& source) {
  const std::size_t start = start_of_table(source.text);
  if (start == std::string::npos) {
    throw FormatError("header",
                      "there is no line that begins with \"ID\" and has a column Kernel Name: "
                      "write the file with ncu --csv, and without --print-summary");
  }
  const auto lines_before =
      std::count(source.text.begin(), source.text.begin() + static_cast<std::ptrdiff_t>(start), '\n');
  std::vector<CsvRow> rows =
      read_csv(std::string_view(source.text).substr(start), static_cast<std::size_t>(lines_before) + 1);
  const CsvRow header = std::move(rows.front());
  rows.erase(rows.begin());
  const Columns columns(header);
  if (!rows.empty()) refuse_cut_end(source.text, rows.back(), columns);
  const bool is_details = columns.has("Metric Name") && columns.has("Metric Value");
  const std::vector<Launch> launches =
      is_details ? launches_of_details_page(rows, columns) : launches_of_raw_page(rows, columns);
  if (launches.empty()) {
    throw FormatError(line_words(header.line),
                      "no launch follows the header: check that ncu profiled a kernel");
  }
  const std::vector<LaunchGroup> groups = grouped(launches);
  check_kernel_option(groups, source.options);
  ImportedFile imported;
  imported.points.reserve(groups.size());
  for (const LaunchGroup& group : groups) imported.points.push_back(point_of(group, source.options));
  return imported;
}

}  // namespace tilescope
