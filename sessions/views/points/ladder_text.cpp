#include <algorithm>

#include "base/text/format.hpp"
#include "sessions/trust.hpp"
#include "sessions/views/points/ladder.hpp"

namespace tilescope {

namespace {

std::string ratio_words(double ratio) {
  return format_number(ratio, 2) + "x";
}

std::string ties_of(const LadderBar& bar) {
  const std::size_t ties = bar.ties;
  const std::string count = ties >= LadderBar::max_ties ? format_count(LadderBar::max_ties) + " or more"
                                                        : format_count(static_cast<std::int64_t>(ties));
  return count + (ties == 1 ? " other configuration" : " other configurations") + " cannot be told from it";
}

std::vector<std::string> names_of_tied(const LadderGroup& group) {
  std::vector<std::string> names;
  for (const LadderBar& bar : group.bars) {
    const bool is_named = std::find(names.begin(), names.end(), bar.point->kernel) != names.end();
    if (bar.ties_with_fastest && !is_named) names.push_back(bar.point->kernel);
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string speed_words(const LadderBar& bar, const LadderGroup& group) {
  const LadderBar* reference = group.reference();
  if (reference == nullptr || bar.other_operations || !(bar.p50_us > 0)) return {};
  return ratio_words(reference->p50_us / bar.p50_us);
}

std::string latency_header(const LadderGroup& group) {
  const bool all_predicted =
      !group.bars.empty() && std::all_of(group.bars.begin(), group.bars.end(), [](const LadderBar& bar) {
        return bar.kind == LadderKind::predicted;
      });
  return all_predicted ? "predicted p50 [µs]" : "p50 [µs]";
}

std::string reference_words(const LadderGroup& group) {
  const LadderBar* reference = group.reference();
  return reference == nullptr ? "" : "vs " + reference->point->kernel;
}

std::string ladder_summary(const LadderGroup& group) {
  if (!group.fastest) return "No kernel of attention has a correct result here";
  const LadderBar& fastest = group.bars[*group.fastest];
  std::string text = "Best kernel: " + fastest.point->kernel + ", " + format_latency(fastest.p50_us);
  if (fastest.kind == LadderKind::predicted) text += " predicted";
  text += distrust_mark(*fastest.point);
  if (group.best_baseline) {
    text += ", " + speed_words(fastest, group) + " the speed of " + group.reference()->point->kernel +
            distrust_mark(*group.reference()->point);
    if (group.reference()->p50_us < fastest.p50_us) text += ", which is faster";
  }
  const std::vector<std::string> tied = names_of_tied(group);
  if (!tied.empty()) text += "; cannot be told from it: " + joined(tied);
  return text;
}

LadderLine ladder_line(const LadderGroup& group) {
  LadderLine line;
  line.shape = to_string(group.shape);
  line.device = group.device;
  if (!group.fastest) return line;
  const LadderBar& fastest = group.bars[*group.fastest];
  line.kernel = fastest.point->kernel;
  line.latency = format_latency(fastest.p50_us);
  if (fastest.kind == LadderKind::predicted) line.latency += " predicted";
  line.latency += distrust_mark(*fastest.point);
  if (group.best_baseline) line.speed = speed_words(fastest, group) + " " + group.reference()->point->kernel;
  return line;
}

std::vector<TextPair> ladder_tooltip(const LadderBar& bar) {
  std::vector<TextPair> lines = latency_tooltip(*bar.point, bar.kind == LadderKind::recorded);
  if (bar.candidates > 1) {
    std::string chosen = "best of " + format_points(bar.candidates);
    if (bar.ties > 0) chosen += "; " + ties_of(bar);
    lines.emplace_back("chosen as", chosen);
  }
  if (const std::string word = distrust_word(*bar.point); !word.empty())
    lines.emplace_back("not to be trusted", word);
  if (bar.other_operations) {
    lines.emplace_back("operations", "a part of attention (" + bar.point->latency->tflops_formula +
                                         "): not compared with the bars");
  }
  if (bar.older_source) lines.push_back(older_source_line());
  return lines;
}

}  // namespace tilescope
