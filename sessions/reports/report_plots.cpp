#include "sessions/reports/report_plots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/reports/svg_plot.hpp"

namespace tilescope {
namespace {

/// Explains the marks of a picture, for the kinds that it has.
std::string legend_words(const std::set<LadderKind>& kinds, const char* filled, const char* hollow) {
  std::string words;
  const auto add = [&](const std::string& text) { words += (words.empty() ? "" : "; ") + text; };
  if (kinds.contains(LadderKind::measured)) add("measured: " + std::string(filled) + ", blue");
  if (kinds.contains(LadderKind::recorded)) add("recorded: " + std::string(filled) + ", grey");
  if (kinds.contains(LadderKind::predicted)) add("predicted, not timed: " + std::string(hollow));
  return capitalised(words) + ".";
}

PlotBar plot_bar(const LadderBar& bar, const LadderGroup& group, bool is_reference) {
  PlotBar plot{bar.point->kernel, bar.kind, is_reference, extent_of(bar, LadderQuantity::speed), {}};
  plot.words = format_latency(bar.p50_us);
  if (bar.kind == LadderKind::predicted) plot.words += " predicted";
  if (const std::string speed = speed_words(bar, group); !speed.empty()) plot.words += ", " + speed;
  if (bar.other_operations) plot.words += ", a part of attention";
  return plot;
}

/// A point of one kernel, with the p50 that is plotted.
struct Timed {
  const Measurement* point = nullptr;
  LadderKind kind = LadderKind::measured;
  double low_us = 0;
  double p50_us = 0;
  double high_us = 0;
};

std::optional<Timed> timed_of(const Measurement& point) {
  if (point.status != Status::ok) return std::nullopt;
  std::optional<Timed> timed;
  if (point.latency) {
    const Latency& latency = *point.latency;
    const bool recorded = latency.kind == LatencyKind::recorded;
    timed = Timed{&point, recorded ? LadderKind::recorded : LadderKind::measured, latency.p10_us,
                  latency.p50_us, latency.p90_us};
  } else if (point.prediction) {
    const Prediction& prediction = *point.prediction;
    timed = Timed{&point, LadderKind::predicted, prediction.low_us, prediction.p50_us, prediction.high_us};
  }
  if (!timed || !(timed->p50_us > 0) || !std::isfinite(timed->p50_us)) return std::nullopt;
  return timed;
}

std::vector<Timed> of_most_frequent_kernel(const PointList& points) {
  std::map<std::string, std::vector<Timed>> by_kernel;
  for (const auto& point : points) {
    if (const std::optional<Timed> timed = timed_of(*point)) by_kernel[point->kernel].push_back(*timed);
  }
  const auto most = std::max_element(by_kernel.begin(), by_kernel.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  return most == by_kernel.end() ? std::vector<Timed>() : std::move(most->second);
}

/// The largest ratio between the best latencies of two values.
double effect_of(const std::string& parameter, const std::vector<Timed>& timed) {
  std::map<ParameterValue, double> best;
  for (const Timed& one : timed) {
    const auto value = one.point->parameters.find(parameter);
    if (value == one.point->parameters.end()) continue;
    const auto [entry, is_new] = best.emplace(value->second, one.p50_us);
    if (!is_new) entry->second = std::min(entry->second, one.p50_us);
  }
  double least = INFINITY;
  double most = 0;
  for (const auto& [value, us] : best) {
    least = std::min(least, us);
    most = std::max(most, us);
  }
  return most / least;
}

/// The parameter with most values, among equals the one with most effect.
std::optional<ParameterChoices> most_varied(const std::vector<Timed>& timed) {
  std::map<std::string, std::set<ParameterValue>> values;
  for (const Timed& one : timed) {
    for (const auto& [name, value] : one.point->parameters) values[name].insert(value);
  }
  std::optional<ParameterChoices> chosen;
  std::pair<std::size_t, double> most{1, 0};
  for (const auto& [name, distinct] : values) {
    if (distinct.size() < 2) continue;
    const std::pair key(distinct.size(), effect_of(name, timed));
    if (key <= most) continue;
    most = key;
    chosen = ParameterChoices{name, {distinct.begin(), distinct.end()}, std::nullopt};
  }
  return chosen;
}

/// Where the slowest takes many times as long as the fastest, a linear axis would show nothing of the fast ones.
bool needs_log(double smallest, double largest) {
  return largest > 8 * smallest;
}

}  // namespace

std::optional<ReportFigure> ladder_figure(const LadderGroup& group) {
  BarPlot plot;
  std::set<LadderKind> kinds;
  for (const LadderBar& bar : group.bars) plot.bars.push_back(plot_bar(bar, group, false));
  for (const LadderBar& bar : group.baselines) plot.bars.push_back(plot_bar(bar, group, true));
  if (plot.bars.size() < 2) return std::nullopt;
  for (const PlotBar& bar : plot.bars) kinds.insert(bar.kind);
  double smallest = plot.bars[0].extent.value;
  double largest = smallest;
  for (const PlotBar& bar : plot.bars) {
    smallest = std::min(smallest, bar.extent.value);
    largest = std::max(largest, bar.extent.value);
  }
  plot.axis = make_ladder_axis(group, LadderQuantity::speed, largest > 50 * smallest);
  plot.quantity = std::string("Speed [TFLOP/s], longer is better") + (plot.axis.log ? ", logarithmic" : "");
  std::string caption =
      "Best correct configuration of each kernel, with p10 to p90 (of a prediction its error band). " +
      legend_words(kinds, "filled", "hatched");
  if (!group.baselines.empty()) caption += " Library baselines are green.";
  if (const std::string reference = reference_words(group); !reference.empty())
    caption += " Ratios are speeds " + reference + ".";
  return ReportFigure{bar_plot_svg(plot), caption};
}

std::optional<ReportFigure> latency_figure(const PointList& points) {
  const std::vector<Timed> timed = of_most_frequent_kernel(points);
  const std::optional<ParameterChoices> parameter = most_varied(timed);
  if (!parameter) return std::nullopt;
  DotPlot plot;
  plot.x = make_axis(*parameter);
  std::set<LadderKind> kinds;
  double smallest = timed[0].p50_us;
  double largest = smallest;
  plot.dots.reserve(timed.size());
  for (const Timed& one : timed) {
    const auto value = one.point->parameters.find(parameter->name);
    if (value == one.point->parameters.end()) continue;
    plot.dots.push_back({*plot.x.find(value->second), one.p50_us, one.low_us, one.high_us, one.kind});
    kinds.insert(one.kind);
    smallest = std::min(smallest, one.p50_us);
    largest = std::max({largest, one.p50_us, one.high_us});
  }
  plot.y = make_scaled_axis(smallest, largest, needs_log(smallest, largest));
  plot.quantity = std::string("Latency p50 [µs], lower is better") + (plot.y.log ? ", logarithmic" : "");
  return ReportFigure{dot_plot_svg(plot), timed[0].point->kernel + " against " + parameter->name + ", " +
                                              format_points(plot.dots.size()) +
                                              "; the line joins the best of each value. " +
                                              legend_words(kinds, "filled", "hollow")};
}

}  // namespace tilescope
