#include <algorithm>

#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/waterfall.hpp"
#include "sessions/reports/comparison_report.hpp"
#include "sessions/reports/svg_shapes.hpp"

namespace tilescope {
namespace {

constexpr double row_height = 26, bar_height = 14, top = 8, gap = 12;

bool is_side(const WaterfallBar& bar) {
  return bar.kind == WaterfallBar::Kind::side_a || bar.kind == WaterfallBar::Kind::side_b;
}

std::string words_of(const WaterfallBar& bar) {
  return is_side(bar) ? format_latency(bar.to_us) : signed_latency(bar.change_us());
}

std::string class_of(const WaterfallBar& bar, bool is_predicted) {
  if (is_side(bar)) return is_predicted ? "bar predicted" : "bar measured";
  if (bar.kind == WaterfallBar::Kind::residual) return "residual";
  return bar.change_us() < 0 ? "gain" : "loss";
}

// Where the bars lie between their labels and words.
class Layout {
 public:
  explicit Layout(const Waterfall& waterfall) : begin_us_(waterfall.begin_us), end_us_(waterfall.end_us) {
    std::size_t label = 0, words = 0;
    for (const WaterfallBar& bar : waterfall.bars) {
      label = std::max(label, letters(bar.name));
      words = std::max(words, letters(words_of(bar)));
    }
    left_ = letter_width * static_cast<double>(label) + gap;
    right_ = plot_width - letter_width * static_cast<double>(words) - gap;
  }
  double left() const { return left_; }
  double x(double us) const {
    return left_ + (std::max(us, begin_us_) - begin_us_) / (end_us_ - begin_us_) * (right_ - left_);
  }

 private:
  double begin_us_, end_us_, left_ = 0, right_ = 0;
};

std::string bar_svg(const WaterfallBar& bar, const Layout& at, double middle, bool is_predicted) {
  const double begin = at.x(std::min(bar.from_us, bar.to_us)), end = at.x(std::max(bar.from_us, bar.to_us));
  return text_at(at.left() - gap, middle + 4, "end", bar.name) +
         rectangle(begin, middle - bar_height / 2, std::max(end - begin, 1.0), bar_height,
                   class_of(bar, is_predicted)) +
         text_at(plot_width, middle + 4, "end", words_of(bar));
}

}  // namespace

std::string waterfall_svg(const Comparison& comparison) {
  const Waterfall shown = waterfall(comparison);
  const Layout layout(shown);
  std::string content;
  for (std::size_t i = 0; i < shown.bars.size(); ++i) {
    const double middle = top + row_height * (static_cast<double>(i) + 0.5);
    content += bar_svg(shown.bars[i], layout, middle, comparison.basis == Basis::predicted);
    // From the end of a bar to the next one, which begins there.
    const double end = layout.x(shown.bars[i].to_us);
    if (i + 1 < shown.bars.size())
      content += line(end, middle + bar_height / 2, end, middle + row_height - bar_height / 2, "grid");
  }
  return svg(top + row_height * static_cast<double>(shown.bars.size()) + top,
             "From A, " + words_of(shown.bars.front()) + ", to B, " + words_of(shown.bars.back()), content);
}

}  // namespace tilescope
