#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/explorer.hpp"
#include "app/gui/help_texts.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/line_change_table.hpp"
#include "app/panels/compare/part_doors.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/panels/compare/unlike_sides.hpp"
#include "app/panels/compare/waterfall_bars.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/explanation.hpp"

namespace tilescope {

namespace {

/// Which of two is faster, by how much and why: the verdict on B, and the way from A's time to B's by parts.
class ComparePanel : public Panel {
 public:
  ComparePanel() : Panel("compare", "Compare", {360, 400}, PanelRole::comparison) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return waterfall_csv(unlike_.are_refused() ? Waterfall{} : waterfall_); }
  bool is_outdated(const Explorer& explorer) const override {
    return explorer.board().get<ComparisonPair>().is_outdated();
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void read_glossary(const Explorer& explorer);
  void draw_nothing(Explorer& explorer) const;
  void draw_refusal(Explorer& explorer);
  void draw_verdict() const;
  void draw_speed() const;
  void draw_sides() const;
  void draw_words(Explorer& explorer) const;
  void offer_predictions(Explorer& explorer) const;
  void draw_remarks(Explorer& explorer) const;
  void draw_bars(Explorer& explorer);

  std::shared_ptr<const Comparison> comparison_;
  UnlikeSides unlike_;
  Waterfall waterfall_;
  Explanation explanation_;
  std::string names_[2];
  std::vector<GlossaryEntry> glossary_;
  WaterfallHelp help_;
  LineChangeTable lines_;
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
  if (comparison_ == explorer.board().get<ComparisonPair>().comparison()) return;
  comparison_ = explorer.board().get<ComparisonPair>().comparison();
  waterfall_ = {};
  explanation_ = {};
  lines_.clear();
  if (!comparison_) return;
  lines_.show(explorer, *comparison_);
  waterfall_ = waterfall(*comparison_);
  explanation_ = explanation_of(*comparison_);
  for (std::string* text : {&explanation_.why, &explanation_.against}) *text = with_unbroken_units(*text);
  names_[0] = side_name(comparison_->a, comparison_->b);
  names_[1] = side_name(comparison_->b, comparison_->a);
}

/// Parts are explained there, once for all panels.
void ComparePanel::read_glossary(const Explorer& explorer) {
  if (help_.of_part) return;
  glossary_ = read_help_texts(explorer.installation().root / "assets" / "help").glossary;
  help_.of_part = [this](const std::string& part) { return glossary_text(glossary_, part); };
  help_.of_click = [&explorer](const WaterfallBar& bar) {
    return door_hint(door_of(explorer, bar), bar, side_of(bar));
  };
}

void ComparePanel::draw(Explorer& explorer) {
  read_glossary(explorer);
  explorer.board().get<ComparisonPair>().want();
  derive(explorer);
  if (!comparison_) return draw_nothing(explorer);
  unlike_.update(explorer.board().get<ComparisonPair>(), *comparison_);
  const bool is_refused = unlike_.are_refused();
  if (ImGui::BeginChild("all")) {
    if (is_refused) {
      draw_refusal(explorer);
    } else {
      draw_verdict();
    }
    draw_sides();
    if (!is_refused) {
      draw_words(explorer);
      draw_remarks(explorer);
      draw_bars(explorer);
      lines_.draw(explorer);
    }
  }
  ImGui::EndChild();
}

void ComparePanel::draw_nothing(Explorer& explorer) const {
  ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  const MissingAnswer missing = pair.missing();
  const auto is_empty = [&](Side side) { return pair.choice(side).kind == SideChoice::Kind::none; };
  const Side empty = is_empty(Side::a) ? Side::a : Side::b;
  const bool can_pin = is_empty(empty) && explorer.jobs().measures();
  if (empty_state(missing.heading, missing.text, can_pin ? "Pin the sliders as " + to_string(empty) : ""))
    pair.pin_sliders(empty);
  landmark("compare.nothing");
}

void offer_conditions(Explorer& explorer, bool beside_last) {
  ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  for (const Side side : both_sides) {
    if (pair.is_live(side) || !pair.is_live(other_side(side))) continue;
    const std::string label = "Use shape and device of " + to_string(side);
    if (beside_last) same_line_if_fits(label);
    if (ImGui::Button(label.c_str())) pair.take_conditions_of(side);
    landmark("compare.take_conditions");
  }
}

void ComparePanel::draw_refusal(Explorer& explorer) {
  {
    const TintedBox box("refusal", palette().warning);
    text_wrapped(palette().text, unlike_.reason());
    landmark("compare.refusal");
    if (ImGui::Button("Compare all the same")) unlike_.compare_all_the_same();
    landmark("compare.all_the_same");
    help_tooltip("Shows a verdict on the two although it is not one on the kernels alone.");
    offer_conditions(explorer, true);
  }
  ImGui::Spacing();
}

void ComparePanel::draw_speed() const {
  if (!comparison_->ratio) return;
  const SpeedText text = speed_text(*comparison_);
  ImGui::PushFont(fonts().bold, 0);
  text_colored(palette().text, text.speed);
  ImGui::PopFont();
  landmark("compare.ratio");
  help_tooltip("p50 of A / p50 of B is " + format_number(comparison_->ratio->value, 2) +
               ": above 1, B is faster.");
  if (text.interval.empty()) return;
  const std::string interval = "95 % interval " + text.interval;
  same_line_if_fits(ImGui::CalcTextSize(interval.c_str()).x);
  text_muted(interval);
  landmark("compare.interval");
}

void ComparePanel::draw_verdict() const {
  const Verdict verdict = comparison_->verdict;
  const bool is_of_speed = verdict == Verdict::faster || verdict == Verdict::slower;
  ImGui::PushFont(fonts().bold, large_text());
  const float line = ImGui::GetTextLineHeight();
  text_colored(palette().text, is_of_speed ? "B is" : "B against A:");
  ImGui::SameLine(0, ImGui::CalcTextSize(" ").x);
  text_colored(color_of(verdict), to_string(verdict));
  ImGui::PopFont();
  landmark("compare.verdict");
  landmark("compare.verdict." + to_string(verdict));
  help_tooltip(
      "What is said of B, held against A. A gap within the noise is SAME; FASTER and SLOWER need intervals "
      "that are apart, in time and in cycles.");
  if (!unlike_.mark().empty()) {
    ImGui::SameLine(0, em() * 0.6F);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (line - ImGui::GetTextLineHeight()) * 0.75F);
    text_colored(palette().warning, unlike_.mark());
    landmark("compare.mark");
    help_tooltip(unlike_.reason());
  }
  draw_speed();
}

void ComparePanel::draw_sides() const {
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

void draw_paragraph(const std::string& text, const char* mark) {
  if (text.empty()) return;
  ImGui::Spacing();
  text_wrapped(palette().text, text);
  landmark(mark);
}

void ComparePanel::draw_words(Explorer& explorer) const {
  ImGui::Spacing();
  std::string basis = capitalised(basis_words(comparison_->basis));
  if (comparison_->noise_floor) basis += ", noise floor " + format_percent(*comparison_->noise_floor);
  if (!basis.empty()) basis += ". ";
  text_wrapped(palette().text, with_unbroken_units(basis + comparison_->reason));
  landmark("compare.reason");
  offer_predictions(explorer);
  if (explorer.board().get<ComparisonPair>().runs_turns() &&
      !explorer.board().get<ComparisonPair>().is_outdated())
    text_wrapped(palette().muted, "A and B run in turns now; the verdict follows.");
  if (!explorer.board().get<ComparisonPair>().turns_problem().empty())
    text_wrapped(palette().warning, explorer.board().get<ComparisonPair>().turns_problem());
  draw_paragraph(explanation_.why, "compare.why");
  draw_paragraph(explanation_.against, "compare.against");
}

/// A side whose point was timed and has no prediction, although the model predicts its kernel here.
std::optional<Side> side_to_predict(const Explorer& explorer, const Comparison& comparison) {
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  if (comparison.basis != Basis::none || !explorer.jobs().measures()) return std::nullopt;
  for (const Side side : both_sides) {
    const Measurement& point = side == Side::a ? comparison.a : comparison.b;
    const Measurement& other = side == Side::a ? comparison.b : comparison.a;
    const KernelDeclaration* kernel = pair.kernel(side);
    if (pair.choice(side).kind != SideChoice::Kind::point || kernel == nullptr) continue;
    if (kernel->library != KernelLibrary::none || point.status != Status::ok) continue;
    if (point.latency && !point.prediction && other.prediction) return side;
  }
  return std::nullopt;
}

void ComparePanel::offer_predictions(Explorer& explorer) const {
  const std::optional<Side> side = side_to_predict(explorer, *comparison_);
  if (!side) return;
  if (ImGui::Button("Compare predictions")) {
    ComparisonPair& pair = explorer.board().get<ComparisonPair>();
    const Experiment configuration = pair.experiment(*side);
    // A pinned side has the shape and the device of the sliders.
    if (!pair.is_live(other_side(*side))) pair.take_conditions_of(other_side(*side));
    pair.pin(*side, configuration);
  }
  landmark("compare.predictions");
  help_tooltip("Pins the configuration of " + to_string(*side) +
               " at the shape and on the device of the other side, where the model predicts it.");
}

void ComparePanel::draw_remarks(Explorer& explorer) const {
  if (comparison_->remarks.empty()) return;
  const bool differ = !unlike_.reason().empty();
  ImGui::Spacing();
  const TintedBox box("remarks", differ ? palette().warning : palette().muted);
  for (const std::string& remark : comparison_->remarks) text_wrapped(palette().text, remark);
  landmark("compare.remarks");
  if (differ) offer_conditions(explorer, false);
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
