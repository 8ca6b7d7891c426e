#include "sessions/reports/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/html.hpp"
#include "sessions/reports/svg_shapes.hpp"

namespace tilescope {
namespace {

std::string bar_class(const PlotBar& bar) {
  if (bar.kind == LadderKind::predicted) return "bar predicted";
  return bar.is_reference ? "bar reference" : "bar " + to_string(bar.kind);
}

/// Where a picture of bars has its parts.
struct BarLayout {
  static constexpr double row = 26;
  static constexpr double bar_height = 14;
  static constexpr double top = 24;
  double left = 0;
  double right = 0;

  explicit BarLayout(const BarPlot& plot) {
    std::size_t label = 4;
    std::size_t words = 4;
    for (const PlotBar& bar : plot.bars) {
      label = std::max(label, letters(bar.label));
      words = std::max(words, letters(bar.words));
    }
    left = letter_width * static_cast<double>(std::min(label, max_label)) + 12;
    right = plot_width - letter_width * static_cast<double>(words) - 12;
  }
  static constexpr std::size_t max_label = 34;

  double x(double place) const { return left + std::clamp(place, 0.0, 1.0) * (right - left); }
  double y(std::size_t index) const { return top + row * static_cast<double>(index); }
};

std::string whisker_across(double from, double to, double y, const std::string& classes) {
  return line(from, y, to, y, classes) + line(from, y - 3, from, y + 3, classes) +
         line(to, y - 3, to, y + 3, classes);
}

std::string bar_svg(const BarPlot& plot, const BarLayout& at, std::size_t index) {
  const PlotBar& bar = plot.bars[index];
  const double middle = at.y(index) + BarLayout::row / 2;
  const double end = at.x(plot.axis.place(bar.extent.value));
  std::string text = fmt::format("<g><title>{}</title>\n", html_escaped(bar.label + ": " + bar.words));
  text += text_at(at.left - 10, middle + 4, "end", shortened(bar.label, BarLayout::max_label));
  text += rectangle(at.left, middle - BarLayout::bar_height / 2, std::max(end - at.left, 1.0),
                    BarLayout::bar_height, bar_class(bar));
  if (bar.extent.high > bar.extent.low) {
    text += whisker_across(at.x(plot.axis.place(bar.extent.low)), at.x(plot.axis.place(bar.extent.high)),
                           middle, "spread");
  }
  return text + text_at(plot_width, middle + 4, "end", bar.words) + "</g>\n";
}

/// Where a picture of dots has its parts.
struct DotLayout {
  static constexpr double height = 320;
  static constexpr double top = 28;
  static constexpr double bottom = 268;
  static constexpr double left = 64;
  static constexpr double right = plot_width - 12;
  const DotPlot& plot;

  double x(double position) const {
    const double low = plot.x.low();
    return left + (position - low) / (plot.x.high() - low) * (right - left);
  }
  double column(std::size_t index) const { return x(plot.x.positions[index]); }
  double y(double value) const { return bottom - std::clamp(plot.y.place(value), 0.0, 1.0) * (bottom - top); }
  /// Half the breadth over which the dots of one value are spread.
  double reach() const {
    return 0.3 * std::min(x(plot.x.positions.front() + plot.x.spacing()) - column(0), 200.0);
  }
};

std::string dot_axes(const DotLayout& at) {
  std::string text = text_at(0, 12, "muted", at.plot.quantity);
  for (const LadderAxis::Tick& tick : at.plot.y.ticks) {
    const double y = at.y(tick.value);
    text += line(DotLayout::left, y, DotLayout::right, y, "grid") +
            text_at(DotLayout::left - 8, y + 4, "muted end", tick.label);
  }
  // As many labels as do not touch each other.
  double free_from = 0;
  for (std::size_t i = 0; i < at.plot.x.positions.size(); ++i) {
    const double half = letter_width / 2 * static_cast<double>(letters(at.plot.x.labels[i]));
    if (at.column(i) - half < free_from) continue;
    free_from = at.column(i) + half + 6;
    text += text_at(at.column(i), DotLayout::bottom + 20, "mid", at.plot.x.labels[i]);
  }
  return text + text_at((DotLayout::left + DotLayout::right) / 2, DotLayout::bottom + 42, "muted mid",
                        at.plot.x.name);
}

/// The dots of one value stand side by side in the order of their latencies.
std::vector<double> places_of(const DotLayout& at) {
  std::map<std::size_t, std::vector<std::size_t>> columns;
  for (std::size_t i = 0; i < at.plot.dots.size(); ++i) columns[at.plot.dots[i].column].push_back(i);
  std::vector<double> places(at.plot.dots.size());
  for (auto& [column, dots] : columns) {
    std::stable_sort(dots.begin(), dots.end(), [&](std::size_t a, std::size_t b) {
      return at.plot.dots[a].value < at.plot.dots[b].value;
    });
    for (std::size_t i = 0; i < dots.size(); ++i) {
      const double share =
          dots.size() == 1 ? 0 : 2.0 * static_cast<double>(i) / static_cast<double>(dots.size() - 1) - 1;
      places[dots[i]] =
          at.column(column) + share * std::min(at.reach(), 2.5 * static_cast<double>(dots.size()));
    }
  }
  return places;
}

/// Through the lowest dot of each value, of what was timed where anything was.
std::string best_line(const DotLayout& at, const std::vector<double>& places) {
  const auto& dots = at.plot.dots;
  const auto is_timed = [](const PlotDot& dot) { return dot.kind != LadderKind::predicted; };
  const bool any_timed = std::any_of(dots.begin(), dots.end(), is_timed);
  std::map<std::size_t, std::size_t> best;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    if (any_timed && !is_timed(dots[i])) continue;
    const auto [entry, is_new] = best.emplace(dots[i].column, i);
    if (!is_new && dots[i].value < dots[entry->second].value) entry->second = i;
  }
  std::string points;
  for (const auto& [column, i] : best) points += px(places[i]) + "," + px(at.y(dots[i].value)) + " ";
  return "<polyline class=\"best\" points=\"" + points + "\"/>\n";
}

}  // namespace

std::string bar_plot_svg(const BarPlot& plot) {
  const BarLayout at(plot);
  const double bottom = at.y(plot.bars.size()) + 4;
  std::string text = text_at(at.left, 12, "muted", plot.quantity);
  for (const LadderAxis::Tick& tick : plot.axis.ticks) {
    const double x = at.x(plot.axis.place(tick.value));
    text += line(x, BarLayout::top - 4, x, bottom, "grid") + text_at(x, bottom + 16, "muted mid", tick.label);
  }
  for (std::size_t i = 0; i < plot.bars.size(); ++i) text += bar_svg(plot, at, i);
  return svg(bottom + 22, plot.quantity, text);
}

std::string dot_plot_svg(const DotPlot& plot) {
  constexpr std::size_t max_whiskers = 150;
  constexpr double radius = 3;
  if (plot.x.positions.empty()) return svg(1, plot.quantity, "");
  const DotLayout at{plot};
  const std::vector<double> places = places_of(at);
  std::string text = dot_axes(at) + best_line(at, places);
  for (std::size_t i = 0; i < plot.dots.size(); ++i) {
    const PlotDot& dot = plot.dots[i];
    const std::string kind = to_string(dot.kind);
    if (plot.dots.size() <= max_whiskers && dot.high > dot.low)
      text += line(places[i], at.y(dot.low), places[i], at.y(dot.high), "whisker " + kind);
    text += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", px(places[i]),
                        px(at.y(dot.value)), px(radius), kind);
  }
  return svg(DotLayout::height, plot.quantity + " against " + plot.x.name, text);
}

}  // namespace tilescope
