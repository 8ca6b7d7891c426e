#include <imgui.h>

#include <memory>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/panels/part_doors.hpp"
#include "app/panels/side_badge.hpp"
#include "app/panels/waterfall_bars.hpp"
#include "app/shell/help_texts.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/panel.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// Which of two is faster, by how much and why: the verdict on B, and the way from A's time to B's by parts.
class ComparePanel : public Panel {
 public:
  ComparePanel() : Panel("compare", "Compare", {360, 400}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return waterfall_csv(waterfall_); }
  bool is_outdated(const Explorer& explorer) const override { return explorer.comparison().is_outdated(); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void read_glossary(const Explorer& explorer);
  void draw_nothing(Explorer& explorer) const;
  void draw_verdict() const;
  void draw_ratio() const;
  void draw_words(const Explorer& explorer) const;
  void draw_remarks(Explorer& explorer) const;
  void draw_bars(Explorer& explorer);

  std::shared_ptr<const Comparison> comparison_;
  Waterfall waterfall_;
  std::string why_;
  std::string names_[2];
  std::vector<GlossaryEntry> glossary_;
  WaterfallHelp help_;
};

ImVec4 color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return palette().ok;
    case Verdict::slower:
      return palette().error;
    case Verdict::undecided:
      return palette().warning;
    case Verdict::same:
      break;
  }
  return palette().text;
}

/// ImGui scales it to the display.
float large_text() {
  return ImGui::GetStyle().FontSizeBase * 1.6F;
}

void ComparePanel::derive(const Explorer& explorer) {
  if (comparison_ == explorer.comparison().comparison()) return;
  comparison_ = explorer.comparison().comparison();
  waterfall_ = {};
  why_.clear();
  if (!comparison_) return;
  waterfall_ = waterfall(*comparison_);
  why_ = with_unbroken_units(why_words(*comparison_));
  names_[0] = side_name(comparison_->a, comparison_->b);
  names_[1] = side_name(comparison_->b, comparison_->a);
}

/// Parts are explained there, once for all panels.
void ComparePanel::read_glossary(const Explorer& explorer) {
  if (help_.of_part) return;
  glossary_ = read_help_texts(explorer.installation().root / "assets" / "help").glossary;
  help_.of_part = [this](const std::string& part) { return glossary_text(glossary_, part); };
  help_.of_click = [](const WaterfallBar& bar) { return door_hint(door_of(bar), bar, side_of(bar)); };
}

void ComparePanel::draw(Explorer& explorer) {
  read_glossary(explorer);
  explorer.comparison().want();
  derive(explorer);
  if (!comparison_) return draw_nothing(explorer);
  if (ImGui::BeginChild("all")) {
    draw_verdict();
    draw_words(explorer);
    draw_remarks(explorer);
    draw_bars(explorer);
  }
  ImGui::EndChild();
}

void ComparePanel::draw_nothing(Explorer& explorer) const {
  ComparisonPair& pair = explorer.comparison();
  const MissingAnswer missing = pair.missing();
  const bool lacks_side = pair.choice(Side::a).kind == SideChoice::Kind::none;
  const bool can_pin = lacks_side && explorer.jobs().measures();
  if (empty_state(missing.heading, missing.text, can_pin ? "Pin the sliders as A" : ""))
    pair.pin_sliders(Side::a);
  landmark("compare.nothing");
}

void ComparePanel::draw_ratio() const {
  if (!comparison_->ratio) return;
  const Ratio& ratio = *comparison_->ratio;
  ImGui::PushFont(fonts().bold, large_text());
  text_colored(palette().text, format_number(ratio.value, 2) + "x");
  ImGui::PopFont();
  landmark("compare.ratio");
  help_tooltip("p50 of A / p50 of B: above 1, B is faster.");
  if (!comparison_->has_interval) return;
  const std::string interval =
      "95 % interval " + format_number(ratio.low, 2) + " to " + format_number(ratio.high, 2);
  same_line_if_fits(ImGui::CalcTextSize(interval.c_str()).x);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + em() * 0.55F);
  text_muted(interval);
  landmark("compare.interval");
}

void ComparePanel::draw_verdict() const {
  ImGui::PushFont(fonts().bold, large_text());
  text_colored(color_of(comparison_->verdict), to_string(comparison_->verdict));
  ImGui::PopFont();
  landmark("compare.verdict");
  landmark("compare.verdict." + to_string(comparison_->verdict));
  help_tooltip(
      "What is said of B, held against A. A gap within the noise is SAME; FASTER and SLOWER need intervals "
      "that are apart, in time and in cycles.");
  ImGui::SameLine(0, em());
  draw_ratio();
  for (const Side side : both_sides) {
    draw_side_badge(side);
    ImGui::SameLine(0, em() * 0.5F);
    const bool is_a = side == Side::a;
    std::string time;
    if (comparison_->difference)
      time = format_latency(is_a ? comparison_->difference->a_us : comparison_->difference->b_us) + "  ";
    const MonoText mono;
    text_wrapped(palette().text, time + names_[index_of(side)]);
    landmark("compare.name." + to_string(side));
  }
}

void ComparePanel::draw_words(const Explorer& explorer) const {
  ImGui::Spacing();
  std::string basis = capitalised(basis_words(comparison_->basis));
  if (comparison_->noise_floor) basis += ", noise floor " + format_percent(*comparison_->noise_floor);
  if (!basis.empty()) basis += ". ";
  text_wrapped(palette().text, with_unbroken_units(basis + comparison_->reason));
  landmark("compare.reason");
  if (explorer.comparison().runs_turns() && !explorer.comparison().is_outdated())
    text_wrapped(palette().muted, "A and B run in turns now; the verdict follows.");
  if (!explorer.comparison().turns_problem().empty())
    text_wrapped(palette().warning, explorer.comparison().turns_problem());
  if (why_.empty()) return;
  ImGui::Spacing();
  text_wrapped(palette().text, why_);
  landmark("compare.why");
}

void ComparePanel::draw_remarks(Explorer& explorer) const {
  if (comparison_->remarks.empty()) return;
  const bool differ = !why_not_comparable(comparison_->a, comparison_->b).empty();
  ImGui::Spacing();
  const TintedBox box("remarks", differ ? palette().warning : palette().muted);
  for (const std::string& remark : comparison_->remarks) text_wrapped(palette().text, remark);
  landmark("compare.remarks");
  if (!differ) return;
  for (const Side side : both_sides) {
    if (explorer.comparison().is_live(side) || !explorer.comparison().is_live(other_side(side))) continue;
    if (ImGui::Button(("Use shape and device of " + to_string(side)).c_str()))
      explorer.comparison().take_conditions_of(side);
    landmark("compare.take_conditions");
  }
}

void ComparePanel::draw_bars(Explorer& explorer) {
  if (waterfall_.bars.empty()) return;
  section_heading("From A's time to B's", "B minus A");
  const auto clicked = draw_waterfall(waterfall_, *comparison_, help_);
  draw_waterfall_legend(waterfall_, *comparison_);
  if (clicked) open_door(explorer, WaterfallBar(waterfall_.bars[*clicked]));
}

const RegisterPanel register_compare_panel{[] { return std::make_unique<ComparePanel>(); }};

}  // namespace

}  // namespace tilescope
