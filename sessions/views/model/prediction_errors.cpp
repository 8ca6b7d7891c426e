#include "sessions/views/model/prediction_errors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {

namespace {

ErrorRow row_of(std::string name, const std::vector<const Measurement*>& points) {
  ErrorRow row;
  row.name = std::move(name);
  row.points = points.size();
  std::vector<double> errors;
  double sum = 0, roofline_sum = 0;
  std::size_t within = 0, with_roofline = 0;
  for (const Measurement* point : points) {
    errors.push_back(std::abs(*prediction_error(*point)));
    sum += errors.back();
    if (is_within_band(*point)) ++within;
    if (const std::optional<double> roofline = roofline_error(*point)) {
      roofline_sum += std::abs(*roofline);
      ++with_roofline;
    }
  }
  const auto count = static_cast<double>(points.size());
  std::sort(errors.begin(), errors.end());
  row.mean_error = sum / count;
  row.p90_error = errors[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
  row.within_band = static_cast<double>(within) / count;
  if (with_roofline > 0) row.roofline_error = roofline_sum / static_cast<double>(with_roofline);
  return row;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  if (high / low > 300) return ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * power;
      if (tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks;
}

using Rows = std::vector<ErrorRow>::iterator;

void sort_worst_first(Rows begin, Rows end) {
  std::stable_sort(begin, end,
                   [](const ErrorRow& a, const ErrorRow& b) { return a.mean_error > b.mean_error; });
}

/// Takes the points of a choice one after the other, then makes the tables of them.
class ErrorsBuilder {
 public:
  explicit ErrorsBuilder(ErrorsView& view) : view_(view) {}

  void take(const SharedMeasurement& shared) {
    const Measurement& point = *shared;
    if (point.status != Status::ok || point.device.name != view_.choice.device) return;
    const std::optional<double> error = prediction_error(point);
    if (error) kernels_.insert(point.kernel);
    const bool is_chosen = (!view_.choice.kernel || *view_.choice.kernel == point.kernel) &&
                           (!view_.choice.shape || *view_.choice.shape == point.shape);
    if (!is_chosen) {
      if (error) ++view_.not_chosen;
      return;
    }
    if (!error) {
      ++(point.latency           ? view_.measured_alone
         : has_prediction(point) ? view_.predicted_alone
                                 : view_.with_neither);
      return;
    }
    const auto entry = static_cast<std::uint32_t>(view_.points.size());
    view_.points.push_back(shared);
    dots_[point.kernel].push_back({point.latency->p50_us, point.prediction->p50_us, *error, entry});
    limited_[limiting_part(*point.prediction)].push_back(&point);
  }

  void finish() {
    view_.all_kernels.assign(kernels_.begin(), kernels_.end());
    if (view_.points.empty()) return;
    add_by_kernel();
    add_by_limiter();
    find_worst();
    set_axes();
  }

 private:
  void add_by_kernel() {
    std::vector<const Measurement*> all;
    all.reserve(view_.points.size());
    for (const SharedMeasurement& point : view_.points) all.push_back(point.get());
    if (dots_.size() > 1) view_.by_kernel.push_back(row_of("all", all));
    for (auto& [kernel, dots] : dots_) {
      std::vector<const Measurement*> points;
      for (const ErrorDot& dot : dots) points.push_back(view_.points[dot.entry].get());
      view_.by_kernel.push_back(row_of(kernel, points));
      view_.series.push_back({kernel, dots});
    }
    sort_worst_first(view_.by_kernel.begin() + (dots_.size() > 1 ? 1 : 0), view_.by_kernel.end());
  }

  void add_by_limiter() {
    for (const auto& [part, points] : limited_)
      view_.by_limiter.push_back(row_of(part.empty() ? "no part" : part, points));
    sort_worst_first(view_.by_limiter.begin(), view_.by_limiter.end());
  }

  void find_worst() {
    for (const auto& [kernel, dots] : dots_) view_.worst.insert(view_.worst.end(), dots.begin(), dots.end());
    const std::size_t count = std::min(view_.worst.size(), ErrorsView::most_misses);
    const auto end = view_.worst.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(view_.worst.begin(), end, view_.worst.end(), [](const ErrorDot& a, const ErrorDot& b) {
      return std::pair(-std::abs(a.error), a.entry) < std::pair(-std::abs(b.error), b.entry);
    });
    view_.worst.resize(count);
  }

  void set_axes() {
    double low = view_.worst.front().measured_us, high = low;
    for (const ErrorSeries& series : view_.series) {
      for (const ErrorDot& dot : series.dots) {
        low = std::min({low, dot.measured_us, dot.predicted_us});
        high = std::max({high, dot.measured_us, dot.predicted_us});
      }
    }
    view_.low_us = low / 1.5;
    view_.high_us = high * 1.5;
    view_.ticks = log_ticks(view_.low_us, view_.high_us);
  }

  ErrorsView& view_;
  std::set<std::string> kernels_;
  std::map<std::string, std::vector<ErrorDot>> dots_;
  std::map<std::string, std::vector<const Measurement*>> limited_;
};

constexpr std::size_t csv_columns = 15;

void add_parts(CsvText& csv, const PartsView& parts) {
  for (const std::size_t i : parts.by_size) {
    const PartShare& part = parts.parts[i];
    std::vector<std::string> fields(csv_columns);
    fields[0] = "part of the shown point";
    fields[1] = part.name;
    fields[6] = csv_number(part.microseconds);
    fields[14] = csv_number(part.share * 100);
    csv.add(fields);
  }
}

void add_rows(CsvText& csv, const char* what, const std::vector<ErrorRow>& rows) {
  for (const ErrorRow& row : rows) {
    std::vector<std::string> fields(csv_columns);
    fields[0] = what;
    fields[1] = row.name;
    fields[9] = csv_number(row.mean_error * 100);
    fields[10] = row.roofline_error ? csv_number(*row.roofline_error * 100) : "";
    fields[11] = std::to_string(row.points);
    fields[12] = csv_number(row.p90_error * 100);
    fields[13] = csv_number(row.within_band * 100);
    csv.add(fields);
  }
}

void add_points(CsvText& csv, const ErrorsView& errors) {
  for (const ErrorSeries& series : errors.series) {
    for (const ErrorDot& dot : series.dots) {
      const Measurement& point = *errors.points[dot.entry];
      const std::optional<double> roofline = roofline_error(point);
      csv.add({"point", series.kernel, point.device.name, problem_words(point), to_string(point.parameters),
               csv_number(dot.measured_us), csv_number(dot.predicted_us),
               csv_number(point.prediction->low_us), csv_number(point.prediction->high_us),
               csv_number(dot.error * 100), roofline ? csv_number(*roofline * 100) : "", "", "",
               is_within_band(point) ? "100" : "0", ""});
    }
  }
}

}  // namespace

ErrorsView prediction_errors(const PointList& session, const PointList& recorded,
                             const ErrorsChoice& choice) {
  ErrorsView view;
  view.choice = choice;
  ErrorsBuilder builder(view);
  for (const PointList* list : {&recorded, &session}) {
    for (const SharedMeasurement& point : *list) builder.take(point);
  }
  builder.finish();
  return view;
}

std::vector<ErrorsDevice> prediction_error_devices(const PointList& session, const PointList& recorded) {
  std::map<std::string, std::size_t> counts;
  for (const PointList* list : {&recorded, &session}) {
    for (const SharedMeasurement& point : *list) {
      if (point->status == Status::ok && prediction_error(*point)) ++counts[point->device.name];
    }
  }
  std::vector<ErrorsDevice> devices;
  devices.reserve(counts.size());
  for (const auto& [name, points] : counts) devices.push_back({name, points});
  return devices;
}

std::vector<TextPair> error_tooltip(const Measurement& point) {
  const std::string limiter = limiting_part(*point.prediction);
  std::vector<TextPair> lines{
      {"measured", format_latency(point.latency->p50_us)},
      {"predicted", predicted_words(*point.prediction)},
      {"error", signed_percent(*prediction_error(point)) +
                    (is_within_band(point) ? ", within the band" : ", outside of the band")}};
  if (const std::optional<double> roofline = roofline_error(point)) {
    lines.emplace_back("roofline",
                       format_latency(*point.prediction->roofline_us) + ", " + signed_percent(*roofline));
  }
  if (!limiter.empty()) lines.emplace_back("limited by", limiter);
  lines.emplace_back("shape", problem_words(point));
  return lines;
}

std::string why_no_errors(const ErrorsView& view) {
  if (view.not_chosen > 0)
    return format_points(view.not_chosen) + " of other kernels or shapes " +
           (view.not_chosen == 1 ? "has" : "have") + " both a measured and a predicted latency.";
  if (view.predicted_alone > 0)
    return format_points(view.predicted_alone) + " of " + view.choice.device + " " +
           (view.predicted_alone == 1 ? "is" : "are") +
           " predicted and not measured. A GPU, or a recorded session that was predicted, gives both.";
  if (view.measured_alone > 0)
    return format_points(view.measured_alone) + " of " + view.choice.device + " " +
           (view.measured_alone == 1 ? "is" : "are") + " measured and not predicted.";
  return "A point is compared once it has both a measured and a predicted latency.";
}

std::string model_csv(const std::optional<PartsView>& parts, const ErrorsView& errors) {
  CsvText csv;
  csv.add({"row", "name", "device", "shape", "configuration", "measured p50 [us]", "predicted [us]",
           "low [us]", "high [us]", "error [%]", "roofline error [%]", "points", "90th percentile [%]",
           "in band [%]", "share [%]"});
  if (parts) add_parts(csv, *parts);
  add_rows(csv, "mean |error| by kernel", errors.by_kernel);
  add_rows(csv, "mean |error| by limiter", errors.by_limiter);
  add_points(csv, errors);
  return csv.text();
}

}  // namespace tilescope
