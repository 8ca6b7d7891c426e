#include "sessions/compare/distributions.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/sample_statistics.hpp"
#include "sessions/views/points/axis_ticks.hpp"

namespace tilescope {
namespace {

using Kind = Distribution::Kind;

// Beyond it are outliers, which would press the rest of the axis together.
constexpr double shown_share = 0.98;
constexpr std::size_t fewest_bins = 12, most_bins = 60;

std::vector<double> sorted(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

Distribution of_samples(const std::vector<double>& samples) {
  Distribution made;
  made.kind = Kind::samples;
  made.origin = format_count(static_cast<std::int64_t>(samples.size())) + " samples in turns";
  made.low_us = samples.front();
  made.q1_us = percentile_of_sorted(samples, 0.25);
  made.median_us = percentile_of_sorted(samples, 0.5);
  made.q3_us = percentile_of_sorted(samples, 0.75);
  made.high_us = percentile_of_sorted(samples, 0.9);
  return made;
}

Distribution of_latency(const Latency& latency) {
  Distribution made;
  made.kind = Kind::percentiles;
  made.is_recorded = latency.kind == LatencyKind::recorded;
  made.origin = to_string(latency.kind) +
                (latency.samples > 0 ? ", " + format_count(latency.samples) + " samples" : "");
  made.median_us = latency.p50_us;
  made.low_us = latency.p10_us;
  made.high_us = latency.p90_us;
  made.q1_us = made.q3_us = latency.p50_us;
  if (!latency.l2_warm || latency.l2_warm->count < 2) return made;
  made.low_us = latency.l2_warm->min_us;
  made.q1_us = latency.l2_warm->q1_us;
  made.q3_us = latency.l2_warm->q3_us;
  return made;
}

Distribution of_prediction(const Prediction& prediction) {
  Distribution made;
  made.kind = Kind::band;
  made.origin = "predicted band";
  made.low_us = prediction.low_us;
  made.high_us = prediction.high_us;
  made.median_us = made.q1_us = made.q3_us = prediction.p50_us;
  return made;
}

Distribution of_point(const Measurement& point, Basis basis) {
  if (point.latency && point.latency->p50_us > 0 && basis != Basis::predicted)
    return of_latency(*point.latency);
  return has_prediction(point) ? of_prediction(*point.prediction) : Distribution{};
}

// By Freedman and Diaconis, the finer of the two.
std::size_t count_of_bins(const Distributions& made, std::size_t samples) {
  const double iqr = std::min(made.a.q3_us - made.a.q1_us, made.b.q3_us - made.b.q1_us);
  const double width = 2 * iqr / std::cbrt(static_cast<double>(samples));
  if (!(width > 0)) return fewest_bins;
  const double bins = std::ceil((made.end_us - made.begin_us) / width);
  return static_cast<std::size_t>(
      std::clamp(bins, static_cast<double>(fewest_bins), static_cast<double>(most_bins)));
}

void count_samples(const std::vector<double>& samples, Distribution& side, Distributions& made) {
  const std::size_t bins = made.edges.size() - 1;
  const double width = (made.end_us - made.begin_us) / static_cast<double>(bins);
  side.shares.assign(bins, 0);
  for (const double sample : samples) {
    if (sample > made.end_us) {
      ++made.beyond;
      continue;
    }
    const auto bin = static_cast<std::size_t>(std::max(0.0, (sample - made.begin_us) / width));
    side.shares[std::min(bin, bins - 1)] += 1 / static_cast<double>(samples.size());
  }
  made.most = std::max(made.most, *std::max_element(side.shares.begin(), side.shares.end()));
}

void add_histogram(const std::vector<double>& a, const std::vector<double>& b, Distributions& made) {
  const std::size_t bins = count_of_bins(made, std::min(a.size(), b.size()));
  made.edges.reserve(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    made.edges.push_back(made.begin_us +
                         (made.end_us - made.begin_us) * static_cast<double>(i) / static_cast<double>(bins));
  }
  count_samples(a, made.a, made);
  count_samples(b, made.b, made);
}

void set_axis(Distributions& made) {
  double low = 0, high = 0;
  bool is_first = true;
  for (const Distribution* side : {&made.a, &made.b}) {
    if (side->kind == Kind::none) continue;
    low = is_first ? side->low_us : std::min(low, side->low_us);
    high = is_first ? side->high_us : std::max(high, side->high_us);
    is_first = false;
  }
  const double margin = high > low ? 0.04 * (high - low) : 0.05 * high;
  made.begin_us = std::max(0.0, low - margin);
  made.end_us = high + margin;
  made.ticks = axis_ticks(made.begin_us, made.end_us);
}

}  // namespace

Distributions distributions_of(const Comparison& comparison) {
  Distributions made;
  const auto& series = comparison.series;
  if (series && !series->samples_a.empty() && !series->samples_b.empty()) {
    const std::vector<double> a = sorted(series->samples_a), b = sorted(series->samples_b);
    made.a = of_samples(a);
    made.b = of_samples(b);
    made.a.high_us = std::max(made.a.high_us, made.a.q3_us);
    set_axis(made);
    const double end = std::max(percentile_of_sorted(a, shown_share), percentile_of_sorted(b, shown_share));
    made.end_us = std::max(made.end_us, end);
    made.ticks = axis_ticks(made.begin_us, made.end_us);
    add_histogram(a, b, made);
    return made;
  }
  made.a = of_point(comparison.a, comparison.basis);
  made.b = of_point(comparison.b, comparison.basis);
  if (!made.empty()) set_axis(made);
  return made;
}

std::string distributions_csv(const Distributions& distributions) {
  CsvText csv;
  csv.add({"side", "origin", "low [us]", "q1 [us]", "median [us]", "q3 [us]", "high [us]"});
  for (const auto& [name, side] : {std::pair("A", &distributions.a), std::pair("B", &distributions.b)}) {
    if (side->kind == Kind::none) continue;
    csv.add({name, side->origin, csv_number(side->low_us), csv_number(side->q1_us),
             csv_number(side->median_us), csv_number(side->q3_us), csv_number(side->high_us)});
  }
  if (distributions.edges.empty()) return csv.text();
  csv.add({"bin from [us]", "bin to [us]", "share of A", "share of B"});
  for (std::size_t i = 0; i + 1 < distributions.edges.size(); ++i) {
    csv.add({csv_number(distributions.edges[i]), csv_number(distributions.edges[i + 1]),
             csv_number(distributions.a.shares[i]), csv_number(distributions.b.shares[i])});
  }
  return csv.text();
}

}  // namespace tilescope
