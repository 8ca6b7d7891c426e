#include "sessions/views/point_rows.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "sessions/views/format.hpp"
#include "sessions/views/memory_text.hpp"

namespace tilescope {

namespace {

constexpr double no_figure = std::numeric_limits<double>::infinity();

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string searchable_text(const Measurement& point, bool recorded) {
  return lower(point.kernel + ' ' + to_string(point.parameters) + ' ' + to_string(point.shape) + ' ' +
               point.device.name + ' ' + to_string(point.status) + (recorded ? " recorded" : ""));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(lower(text));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool passes(const PointRow& row, const PointFilter& filter, const std::vector<std::string>& words) {
  if (row.recorded && !filter.recorded) return false;
  if (filter.status && row.point->status != *filter.status) return false;
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return row.searchable.find(word) != std::string::npos; });
}

LatencyKind kind_of(const PointRow& row) {
  return row.recorded || !row.point->latency ? LatencyKind::recorded : row.point->latency->kind;
}

double relative_spread(const Latency& latency) {
  return latency.p50_us > 0 ? (latency.p90_us - latency.p10_us) / latency.p50_us : 0;
}

/// An error that is NaN or infinite is larger than all others, and still a figure.
double sortable_error(double error) {
  return std::isfinite(error) ? error : std::numeric_limits<double>::max();
}

/// The figure as a number, for sorting; no_figure where there is none. Only right results have figures of
/// speed here.
double number_of(const PointRow& row, Figure figure) {
  const Measurement& point = *row.point;
  const bool timed = point.latency && point.status == Status::ok;
  switch (figure) {
    case Figure::rank:
      return row.rank == 0 ? no_figure : row.rank;
    case Figure::p50:
      return timed ? point.latency->p50_us : no_figure;
    case Figure::spread:
      return timed ? relative_spread(*point.latency) : no_figure;
    case Figure::cold_p50:
      return timed && point.latency->l2_cold ? point.latency->l2_cold->p50_us : no_figure;
    case Figure::tflops:
      return timed ? point.latency->tflops : no_figure;
    case Figure::occupancy:
      return point.occupancy ? point.occupancy->fraction : no_figure;
    case Figure::bank_conflicts:
      return conflict_share(point).value_or(no_figure);
    case Figure::registers:
      return point.resources ? static_cast<double>(point.resources->registers) : no_figure;
    case Figure::shared:
      if (!point.resources) return no_figure;
      return static_cast<double>(point.resources->static_shared_bytes +
                                 point.resources->dynamic_shared_bytes);
    case Figure::spills:
      return point.resources ? static_cast<double>(point.resources->spill_bytes) : no_figure;
    case Figure::error:
      return point.error ? sortable_error(point.error->max_abs) : no_figure;
    default:
      return no_figure;
  }
}

bool is_numeric(Figure figure) {
  switch (figure) {
    case Figure::status:
    case Figure::kernel:
    case Figure::shape:
    case Figure::device:
    case Figure::parameter:
    case Figure::kind:
    case Figure::limiter:
    case Figure::time:
    case Figure::source:
    case Figure::sass:
      return false;
    default:
      return true;
  }
}

/// Numbers sort before names and by their size: "8" comes before "16".
using TextKey = std::tuple<bool, bool, std::int64_t, std::string>;  // Missing, is a name, number, text.

TextKey text_key(const PointRow& row, const PointColumn& column) {
  if (column.figure == Figure::parameter) {
    const auto value = row.point->parameters.find(column.parameter);
    if (value == row.point->parameters.end()) return {true, false, 0, ""};
    if (const auto* number = std::get_if<std::int64_t>(&value->second)) return {false, false, *number, ""};
  }
  std::string text = cell_text(row, column);
  return {text.empty(), true, 0, std::move(text)};
}

/// Newest first, then in the order of the keys; rows without a figure stay last whatever the direction.
template <typename Key, typename Missing>
void sort_rows(std::vector<std::uint32_t>& order, const std::vector<Key>& keys, Missing missing,
               bool descending) {
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool a_missing = missing(keys[a]);
    const bool b_missing = missing(keys[b]);
    if (a_missing || b_missing) return !a_missing && b_missing;
    return descending ? keys[b] < keys[a] : keys[a] < keys[b];
  });
}

}  // namespace

std::vector<PointColumn> point_columns(const std::vector<ParameterChoices>& parameters,
                                       bool several_kernels) {
  const bool shown = true;
  const bool hidden = false;
  const bool number = true;
  const bool text = false;
  std::vector<PointColumn> columns{
      {Figure::rank, "#",
       "Rank by p50 among right results of one shape, device and kind, of the same operations, and of the "
       "kernel's "
       "file as it is now; those of an older source are ranked among themselves",
       "", shown, number, "00000"},
      {Figure::status, "status", "How the point ended", "", shown, text, "compile_failed"},
      {Figure::source, "source", "Whether the kernel's file has changed since the point was compiled", "",
       hidden, text, "older"},
      {Figure::p50, "p50 [µs]", "Median latency of one launch, L2-warm", "", shown, number, "0,000.00"},
      {Figure::kind, "latency is", "Measured or recorded", "", shown, text, "measured"},
      {Figure::spread, "p10-p90 [%]", "Width of the p10-p90 interval over p50", "", hidden, number, "00.0"},
      {Figure::cold_p50, "cold p50 [µs]", "Median latency with L2 cleared before every launch", "", hidden,
       number, "0,000.00"},
      {Figure::tflops, "TFLOP/s",
       "4*B*Hq*Sq*Sk*D, halved when causal, over p50; half of that where only the scores are computed", "",
       shown, number, "000.00"},
  };
  for (const ParameterChoices& parameter : parameters) {
    const ValueAxis axis = make_axis(parameter);
    const auto longer = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
    const auto widest = std::max_element(axis.labels.begin(), axis.labels.end(), longer);
    columns.push_back({Figure::parameter, parameter.name, "Parameter of the kernel", parameter.name, shown,
                       axis.scale != ValueAxis::Scale::category, widest == axis.labels.end() ? "" : *widest});
  }
  const std::vector<PointColumn> figures{
      {Figure::occupancy, "occup. [%]", "Resident warps over the most that an SM holds, calculated", "",
       shown, number, "100.0"},
      {Figure::limiter, "limiter", "The resource that bounds resident blocks", "", shown, text,
       "shared_memory"},
      {Figure::bank_conflicts, "conflicts [%]",
       "Share of the shared-memory wavefronts that are bank conflicts", "", shown, number, "100.0"},
      {Figure::registers, "regs", "Registers per thread, from the compiler", "", shown, number, "255"},
      {Figure::shared, "shared [B]", "Shared memory per block, static and dynamic", "", shown, number,
       "000,000"},
      {Figure::spills, "spills [B]", "Spill stores and loads per thread", "", hidden, number, "0,000"},
      {Figure::error, "max error", "Largest difference from the float64 reference", "", shown, number,
       "0.00e-00"},
      {Figure::kernel, "kernel", "Name in the catalogue", "", shown, text, "flash_scalar_00"},
      {Figure::shape, "shape", "B, H, S, D, type", "", shown, text, "B1 H16 S16384 D128 fp16 causal"},
      {Figure::device, "device", "The device that the point belongs to", "", shown, text, "RTX 4090"},
      {Figure::time, "time (UTC)", "When the point was made", "", hidden, text, "2026-01-01T00:00:00Z"},
      {Figure::sass, "SASS", "Start of the machine code's hash: equal ones are the same program", "", hidden,
       text, "0123456789"},
  };
  columns.insert(columns.end(), figures.begin(), figures.end());
  const auto kernel = std::find_if(columns.begin(), columns.end(),
                                   [](const PointColumn& column) { return column.figure == Figure::kernel; });
  if (several_kernels) std::rotate(columns.begin() + 1, kernel, kernel + 1);
  return columns;
}

bool PointRows::update(const PointList& session, const PointList& recorded, const CurrentSources& sources) {
  const auto continues = [](const PointList& list, std::size_t count, const Measurement* first) {
    return count == 0 || (list.size() >= count && list.front().get() == first);
  };
  const bool same = continues(session, session_count_, first_session_) &&
                    continues(recorded, recorded_count_, first_recorded_);
  if (!same) *this = PointRows();
  const bool grows = session.size() != session_count_ || recorded.size() != recorded_count_;
  if (same && !grows && sources == sources_) return false;
  sources_ = sources;
  const std::size_t recorded_end = std::min(recorded.size(), recorded_count_ + points_at_a_time);
  const std::size_t left = points_at_a_time - (recorded_end - recorded_count_);
  const std::size_t session_end = std::min(session.size(), session_count_ + left);
  take(recorded, recorded_end, recorded_count_, true);
  take(session, session_end, session_count_, false);
  complete_ = recorded_end == recorded.size() && session_end == session.size();
  first_session_ = session.empty() ? nullptr : session.front().get();
  first_recorded_ = recorded.empty() ? nullptr : recorded.front().get();
  if (complete_) {  // Both go through all rows: once, not with every piece.
    judge_sources();
    rank();
  }
  return true;
}

void PointRows::judge_sources() {
  has_older_source_ = false;
  for (PointRow& row : rows_) {
    row.older_source = !row.recorded && is_of_older_source(*row.point, sources_);
    has_older_source_ = has_older_source_ || row.older_source;
  }
}

void PointRows::take(const PointList& list, std::size_t end, std::size_t& count, bool recorded) {
  for (std::size_t i = count; i < end; ++i) {
    rows_.push_back({list[i], recorded, 0, searchable_text(*list[i], recorded)});
    has_latency_ = has_latency_ || list[i]->latency.has_value();
    several_kernels_ = several_kernels_ || list[i]->kernel != rows_.front().point->kernel;
  }
  count = end;
}

void PointRows::rank() {
  std::vector<std::pair<double, PointRow*>>
      timed;  // With its key beside it: ten thousand points are all over the memory.
  for (PointRow& row : rows_) {
    row.rank = 0;
    if (row.point->status == Status::ok && row.point->latency)
      timed.emplace_back(row.point->latency->p50_us, &row);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // What counts other operations computes something else: the scores alone are no faster attention.
  std::map<std::tuple<Shape, std::string_view, LatencyKind, std::string_view, bool>, std::uint32_t> ranked;
  for (const auto& [p50_us, row] : timed) {
    const Measurement& point = *row->point;
    row->rank = ++ranked[{point.shape, point.device.name, kind_of(*row), point.latency->tflops_formula,
                          row->older_source}];
  }
}

std::vector<std::uint32_t> PointRows::newest_first(const PointFilter& filter) const {
  const std::vector<std::string> words = words_of(filter.text);
  std::vector<std::uint32_t> order;
  for (std::size_t i = rows_.size(); i-- > 0;) {
    if (!rows_[i].recorded && passes(rows_[i], filter, words)) order.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    if (rows_[i].recorded && passes(rows_[i], filter, words)) order.push_back(static_cast<std::uint32_t>(i));
  }
  return order;
}

std::vector<std::uint32_t> PointRows::ordered(const PointFilter& filter, const PointColumn& column,
                                              bool descending) const {
  const std::vector<std::string> words = words_of(filter.text);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (passes(rows_[i], filter, words)) order.push_back(i);
  }
  if (is_numeric(column.figure)) {
    std::vector<double> keys(rows_.size());
    for (const std::uint32_t i : order) keys[i] = number_of(rows_[i], column.figure);
    sort_rows(
        order, keys, [](double key) { return key == no_figure; }, descending);
  } else {
    std::vector<TextKey> keys(rows_.size());
    for (const std::uint32_t i : order) keys[i] = text_key(rows_[i], column);
    sort_rows(
        order, keys, [](const TextKey& key) { return std::get<0>(key); }, descending);
  }
  return order;
}

std::string cell_text(const PointRow& row, const PointColumn& column) {
  const Measurement& point = *row.point;
  switch (column.figure) {
    case Figure::rank:
      return row.rank == 0 ? "" : std::to_string(row.rank);
    case Figure::status:
      return to_string(point.status);
    case Figure::kernel:
      return point.kernel;
    case Figure::shape:
      return to_string(point.shape);
    case Figure::device:
      return point.device.name;
    case Figure::parameter: {
      const auto value = point.parameters.find(column.parameter);
      return value == point.parameters.end() ? "" : to_string(value->second);
    }
    case Figure::p50:
      return point.latency ? format_us(point.latency->p50_us) : "";
    case Figure::spread:
      return point.latency ? format_number(relative_spread(*point.latency) * 100, 1) : "";
    case Figure::cold_p50:
      return point.latency && point.latency->l2_cold ? format_us(point.latency->l2_cold->p50_us) : "";
    case Figure::tflops:
      return point.latency ? format_number(point.latency->tflops, 2) : "";
    case Figure::kind:
      return point.latency ? to_string(row.recorded ? LatencyKind::recorded : point.latency->kind) : "";
    case Figure::occupancy:
      return point.occupancy ? format_number(point.occupancy->fraction * 100, 1) : "";
    case Figure::limiter:
      return point.occupancy ? to_string(point.occupancy->limiter) : "";
    case Figure::bank_conflicts: {
      const auto share = conflict_share(point);
      return share ? format_number(*share * 100, 1) : "";
    }
    case Figure::registers:
      return point.resources ? format_count(point.resources->registers) : "";
    case Figure::shared:
      if (!point.resources) return "";
      return format_count(point.resources->static_shared_bytes + point.resources->dynamic_shared_bytes);
    case Figure::spills:
      return point.resources ? format_count(point.resources->spill_bytes) : "";
    case Figure::error:
      return point.error ? format_error(point.error->max_abs) : "";
    case Figure::time:
      return point.provenance.time_utc;
    case Figure::source:
      return row.older_source ? "older" : "";
    case Figure::sass:
      return point.resources ? point.resources->sass_sha256.substr(0, 10) : "";
  }
  return {};
}

}  // namespace tilescope
