#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sessions/compare/comparison_text.hpp"
#include "sessions/reports/comparison_report.hpp"
#include "sessions/reports/svg_shapes.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

constexpr double row_height = 26, bar_height = 14, top = 8, gap = 12;

struct Bar {
  std::string label, words, classes;
  /// [us]
  double from = 0, to = 0;
};

std::vector<Bar> bars_of(const TimeDifference& difference, bool is_predicted) {
  const std::string whole = is_predicted ? "bar predicted" : "bar measured";
  std::vector<Bar> bars{{"A", format_latency(difference.a_us), whole, 0, difference.a_us}};
  double at = difference.a_us;
  const auto add = [&](const std::string& name, double us, const std::string& classes) {
    bars.push_back({name, signed_latency(us), classes, at, at + us});
    at += us;
  };
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    add(part.name, part.microseconds, part.microseconds < 0 ? "gain" : "loss");
  }
  add("residual", difference.residual_us, "residual");
  bars.push_back({"B", format_latency(difference.b_us), whole, 0, difference.b_us});
  return bars;
}

// Where the bars lie between their labels and words.
class Layout {
 public:
  explicit Layout(const std::vector<Bar>& bars) {
    std::size_t label = 0, words = 0;
    for (const Bar& bar : bars) {
      label = std::max(label, letters(bar.label));
      words = std::max(words, letters(bar.words));
      low_ = std::min({low_, bar.from, bar.to});
      high_ = std::max({high_, bar.from, bar.to});
    }
    left_ = letter_width * static_cast<double>(label) + gap;
    right_ = plot_width - letter_width * static_cast<double>(words) - gap;
  }
  double left() const { return left_; }
  double x(double us) const {
    return high_ > low_ ? left_ + (us - low_) / (high_ - low_) * (right_ - left_) : left_;
  }

 private:
  double low_ = 0, high_ = 0, left_ = 0, right_ = 0;
};

std::string bar_svg(const Bar& bar, const Layout& at, double middle) {
  const double begin = at.x(std::min(bar.from, bar.to)), end = at.x(std::max(bar.from, bar.to));
  return text_at(at.left() - gap, middle + 4, "end", bar.label) +
         rectangle(begin, middle - bar_height / 2, std::max(end - begin, 1.0), bar_height, bar.classes) +
         text_at(plot_width, middle + 4, "end", bar.words);
}

}  // namespace

std::string waterfall_svg(const TimeDifference& difference, bool is_predicted) {
  const std::vector<Bar> bars = bars_of(difference, is_predicted);
  const Layout layout(bars);
  std::string content;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double middle = top + row_height * (static_cast<double>(i) + 0.5);
    content += bar_svg(bars[i], layout, middle);
    // From the end of a bar to the next one, which begins there.
    if (i + 1 < bars.size()) {
      content += line(layout.x(bars[i].to), middle + bar_height / 2, layout.x(bars[i].to),
                      middle + row_height - bar_height / 2, "grid");
    }
  }
  return svg(top + row_height * static_cast<double>(bars.size()) + top,
             "From A, " + bars.front().words + ", to B, " + bars.back().words, content);
}

}  // namespace tilescope
