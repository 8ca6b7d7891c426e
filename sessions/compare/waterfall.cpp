#include "sessions/compare/waterfall.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/csv.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/views/points/axis_ticks.hpp"

namespace tilescope {
namespace {

using Kind = WaterfallBar::Kind;

/// Adds bars, each at the end of the one before it.
class Steps {
 public:
  Steps(std::vector<WaterfallBar>& bars, double a_us, double whole_us)
      : bars_(bars), at_us_(a_us), whole_us_(whole_us) {}

  WaterfallBar& add(Kind kind, const std::string& name, double change_us, bool has_share) {
    WaterfallBar& bar = bars_.emplace_back();
    bar.kind = kind;
    bar.name = name;
    bar.from_us = at_us_;
    bar.to_us = at_us_ += change_us;
    if (has_share) bar.share = share_words(change_us / whole_us_);
    return bar;
  }

 private:
  std::vector<WaterfallBar>& bars_;
  double at_us_;
  double whole_us_;
};

WaterfallBar side_bar(Kind kind, double us) {
  WaterfallBar bar;
  bar.kind = kind;
  bar.name = kind == Kind::side_a ? "A" : "B";
  bar.to_us = us;
  return bar;
}

void add_parts(Steps& steps, const TimeDifference& difference) {
  const double least_us = least_part_share * std::max(difference.a_us, difference.b_us);
  double others_us = 0;
  std::vector<std::string> summed;
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    if (std::abs(part.microseconds) < least_us) {
      others_us += part.microseconds;
      summed.push_back(part.name + " " + signed_latency(part.microseconds));
      continue;
    }
    WaterfallBar& bar = steps.add(Kind::part, part.name, part.microseconds, difference.has_shares);
    bar.text = part.text;
    bar.lines = part.lines;
  }
  if (!summed.empty())
    steps.add(Kind::others, "others", others_us, difference.has_shares).summed = std::move(summed);
}

void set_axis(Waterfall& waterfall, double a_us, double b_us) {
  double least = std::min({a_us, b_us, waterfall.b_low_us}),
         most = std::max({a_us, b_us, waterfall.b_high_us});
  for (const WaterfallBar& bar : waterfall.bars) {
    least = std::min(least, bar.kind == Kind::side_a || bar.kind == Kind::side_b
                                ? bar.to_us
                                : std::min(bar.from_us, bar.to_us));
    most = std::max({most, bar.from_us, bar.to_us});
  }
  // From zero on, the parts of a small difference would be too thin to be read.
  constexpr double small = 0.35;
  const double range = most - least;
  waterfall.begin_us =
      least > 0 && range < small * most ? std::max(0.0, least - range) : std::min(0.0, least);
  if (range <= 0) waterfall.begin_us = 0;
  double step = tick_step((most - waterfall.begin_us) * 1.03);
  if (!(step > 0)) step = 1;
  waterfall.begin_us = std::floor(waterfall.begin_us / step) * step;
  waterfall.end_us = most + (most - waterfall.begin_us) * 0.03;
  waterfall.ticks = axis_ticks(waterfall.begin_us, waterfall.end_us);
}

}  // namespace

Waterfall waterfall(const Comparison& comparison) {
  Waterfall made;
  if (!comparison.difference) return made;
  const TimeDifference& difference = *comparison.difference;
  made.bars.reserve(difference.parts.size() + 4);
  made.bars.push_back(side_bar(Kind::side_a, difference.a_us));
  if (difference.is_decided) {
    Steps steps(made.bars, difference.a_us, difference.microseconds());
    add_parts(steps, difference);
    steps.add(Kind::residual, "residual", difference.residual_us, true).text = difference.why_no_parts;
  }
  made.bars.push_back(side_bar(Kind::side_b, difference.b_us));
  made.b_low_us = made.b_high_us = difference.b_us;
  if (comparison.ratio && comparison.has_interval) {
    // The ratio's interval, where A's time stands still.
    made.b_low_us = difference.b_us * comparison.ratio->value / comparison.ratio->high;
    made.b_high_us = difference.b_us * comparison.ratio->value / comparison.ratio->low;
  }
  set_axis(made, difference.a_us, difference.b_us);
  return made;
}

std::string waterfall_csv(const Waterfall& waterfall) {
  CsvText csv;
  csv.add({"bar", "from [us]", "to [us]", "change [us]", "share", "reason"});
  for (const WaterfallBar& bar : waterfall.bars) {
    std::string text = bar.text;
    for (const std::string& part : bar.summed) text += (text.empty() ? "" : ", ") + part;
    csv.add({bar.name, csv_number(bar.from_us), csv_number(bar.to_us), csv_number(bar.change_us()), bar.share,
             text});
  }
  return csv.text();
}

}  // namespace tilescope
