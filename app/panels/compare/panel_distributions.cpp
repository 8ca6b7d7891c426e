#include "sessions/compare/distributions.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

using Kind = Distribution::Kind;

/// The latencies of both sides of a comparison over one another.
class DistributionsPanel : public Panel {
 public:
  DistributionsPanel() : Panel("distributions", "Distributions", {240, 180}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return distributions_csv(view_); }
  bool is_outdated(const Explorer& explorer) const override {
    return explorer.board().get<ComparisonPair>().is_outdated();
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  std::shared_ptr<const Comparison> comparison_;
  Distributions view_;
};

float line_weight() {
  return std::max(1.0F, std::round(em() * 0.1F));
}

/// Below the axis; "" where all samples are on it.
std::string beyond_words(const Distributions& view) {
  if (view.beyond == 0) return "";
  const auto count = static_cast<std::int64_t>(view.beyond);
  return count == 1 ? "1 slower sample is beyond the axis."
                    : format_count(count) + " slower samples are beyond the axis.";
}

/// [px] Height of the note with the space above it.
float height_of_note(const std::string& note, float width) {
  if (note.empty()) return 0;
  return ImGui::CalcTextSize(note.c_str(), nullptr, false, width).y + ImGui::GetStyle().ItemSpacing.y;
}

/// Draws into what is left of the panel.
class Drawing {
 public:
  explicit Drawing(const Distributions& view) : view_(view), draw_(*ImGui::GetWindowDrawList()) {
    corner_ = ImGui::GetCursorScreenPos();
    size_ = ImGui::GetContentRegionAvail();
    size_.y -= height_of_note(beyond_words(view), size_.x);
    line_ = ImGui::GetTextLineHeight();
    foot_ = line_ * 2.5F;
    labels_ = line_ * 1.1F + em() * 0.8F;
    {
      const MonoText mono;
      for (const Distribution* side : {&view.a, &view.b})
        figures_ = std::max(figures_, ImGui::CalcTextSize(format_latency(side->median_us).c_str()).x + em());
    }
    width_ = std::max(em() * 5, size_.x - labels_ - figures_);
    row_ = line_ * 2.3F;
    axis_y_ = corner_.y + size_.y - foot_;
    rows_y_ = std::max(corner_.y, axis_y_ - 2 * row_ - em() * 0.2F);
    has_histogram_ = !view.edges.empty() && rows_y_ - corner_.y >= line_ * 2;
    if (!has_histogram_) {  // the boxes are all that there is, or that there is room for
      rows_y_ = corner_.y + em() * 0.3F;
      row_ = std::clamp((size_.y - foot_ - em() * 0.5F) / 2, line_ * 2.3F, line_ * 4.0F);
      axis_y_ = rows_y_ + 2 * row_ + em() * 0.2F;
    }
  }

  void draw() {
    draw_axis();
    if (has_histogram_) {
      draw_histogram(Side::a, view_.a);
      draw_histogram(Side::b, view_.b);
      landmark("distributions.histogram", {corner_.x + labels_, corner_.y},
               {corner_.x + labels_ + width_, rows_y_});
    }
    draw_row(Side::a, view_.a, rows_y_);
    draw_row(Side::b, view_.b, rows_y_ + row_);
    ImGui::SetCursorScreenPos(corner_);
    ImGui::Dummy({size_.x, axis_y_ + foot_ - corner_.y});
  }

 private:
  float x(double us) const {
    const double share = (us - view_.begin_us) / (view_.end_us - view_.begin_us);
    return std::round(corner_.x + labels_ + width_ * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  float y(double share) const {
    const float height = rows_y_ - corner_.y - em() * 0.6F;
    return std::round(rows_y_ - em() * 0.4F - height * static_cast<float>(share / view_.most));
  }

  void draw_axis() {
    float last_right = 0;
    const double step = view_.ticks.size() > 1 ? view_.ticks[1] - view_.ticks[0] : 1;
    const int decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
    for (const double tick : view_.ticks) {
      draw_.AddLine({x(tick), corner_.y}, {x(tick), axis_y_}, to_u32(wash(palette().muted, 0.2F)));
      const std::string text = format_number(tick, decimals);
      const float wide = ImGui::CalcTextSize(text.c_str()).x, left = x(tick) - wide / 2;
      if (left < last_right + em() * 0.5F) continue;
      draw_.AddText({left, axis_y_ + line_ * 0.1F}, to_u32(palette().muted), text.c_str());
      last_right = left + wide;
    }
    draw_title();
  }

  void draw_title() {
    const char* const title = "Latency [µs]";
    const ImVec2 size = ImGui::CalcTextSize(title);
    const ImVec2 min{std::round(corner_.x + labels_ + (width_ - size.x) / 2), axis_y_ + line_ * 1.35F};
    draw_.AddText(min, to_u32(palette().muted), title);
    landmark("distributions.axis", min, {min.x + size.x, min.y + size.y});
  }

  /// They differ without color: B's is filled, A's an outline.
  void draw_histogram(Side side, const Distribution& of) {
    const ImVec4 color = color_of(side);
    const float base = y(0);
    for (std::size_t i = 0; i < of.shares.size(); ++i) {
      const float left = x(view_.edges[i]), right = x(view_.edges[i + 1]), top = y(of.shares[i]);
      if (side == Side::b && of.shares[i] > 0)
        draw_.AddRectFilled({left, top}, {right, base}, to_u32(wash(color, 0.25F)));
      const float before = i == 0 ? base : y(of.shares[i - 1]);
      draw_.AddLine({left, before}, {left, top}, to_u32(color), line_weight());
      draw_.AddLine({left, top}, {right, top}, to_u32(color), line_weight());
      if (i + 1 == of.shares.size()) draw_.AddLine({right, top}, {right, base}, to_u32(color), line_weight());
    }
    draw_.AddLine({x(of.median_us), corner_.y}, {x(of.median_us), base}, to_u32(color), 2 * line_weight());
  }

  void draw_row(Side side, const Distribution& of, float top) {
    const float middle = std::round(top + row_ * 0.36F);
    ImGui::SetCursorScreenPos({corner_.x, std::round(middle - line_ / 2)});
    draw_side_badge(side);
    if (of.kind == Kind::none) {
      draw_.AddText({corner_.x + labels_, top + (row_ - line_) / 2}, to_u32(palette().muted),
                    "no latency and no prediction");
      return;
    }
    draw_box(side, of, middle);
    const float left =
        std::min(x(of.low_us), corner_.x + labels_ + width_ - ImGui::CalcTextSize(of.origin.c_str()).x);
    draw_.AddText({std::max(corner_.x + labels_, left), middle + row_ * 0.22F}, to_u32(palette().muted),
                  of.origin.c_str());
    {
      const MonoText mono;
      const std::string figure = format_latency(of.median_us);
      const float right = corner_.x + labels_ + width_ + figures_ - em() * 0.2F;
      draw_.AddText({std::round(right - ImGui::CalcTextSize(figure.c_str()).x), middle - line_ / 2},
                    to_u32(palette().text), figure.c_str());
    }
    const ImVec2 min{corner_.x, top}, max{corner_.x + size_.x, top + row_};
    landmark("distributions.row." + to_string(side), min, max);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max)) explain(side, of);
  }

  /// Solid where it was measured, hatched where it was recorded, hollow where it is predicted.
  void draw_box(Side side, const Distribution& of, float middle) {
    const ImVec4 color = color_of(side);
    const float half = std::round(row_ * 0.17F);
    const float low = x(of.low_us), high = x(of.high_us);
    const bool has_box = of.has_quartiles();
    const ImVec2 min{has_box ? x(of.q1_us) : low, middle - half};
    const ImVec2 max{std::max(has_box ? x(of.q3_us) : high, min.x + 3 * line_weight()), middle + half};
    if (of.kind != Kind::band) draw_.AddLine({low, middle}, {high, middle}, to_u32(color), line_weight());
    for (const float end : {low, high})
      draw_.AddLine({end, middle - half * 0.7F}, {end, middle + half * 0.7F}, to_u32(color), line_weight());
    if (of.kind == Kind::band) {
      draw_.AddRect(min, max, to_u32(color), 0, line_weight());
    } else {
      draw_.AddRectFilled(min, max, to_u32(palette().surface));
      draw_.AddRectFilled(min, max, to_u32(wash(color, of.is_recorded ? 0.3F : 0.55F)));
      if (of.is_recorded) hatch(draw_, min, max, wash(color, 0.8F), em() * 0.45F);
      draw_.AddRect(min, max, to_u32(color), 0, line_weight());
    }
    draw_.AddLine({x(of.median_us), middle - half * 1.5F}, {x(of.median_us), middle + half * 1.5F},
                  to_u32(color), 2 * line_weight());
  }

  static void explain(Side side, const Distribution& of) {
    if (!ImGui::BeginTooltip()) return;
    std::vector<TextPair> lines;
    if (of.kind == Kind::band) {
      lines = {{"p50", format_latency(of.median_us)},
               {"band", format_latency(of.low_us) + " to " + format_latency(of.high_us)}};
    } else {
      lines.emplace_back(of.has_quartiles() ? "minimum" : "p10", format_latency(of.low_us));
      if (of.has_quartiles()) lines.emplace_back("lower quartile", format_latency(of.q1_us));
      lines.emplace_back("p50", format_latency(of.median_us));
      if (of.has_quartiles()) lines.emplace_back("upper quartile", format_latency(of.q3_us));
      lines.emplace_back("p90", format_latency(of.high_us));
    }
    tooltip_body(to_string(side) + ": " + of.origin, lines, "");
    ImGui::EndTooltip();
  }

  const Distributions& view_;
  ImDrawList& draw_;
  ImVec2 corner_, size_;
  float line_ = 0;
  float labels_ = 0;
  float figures_ = 0;
  float width_ = 0;
  float row_ = 0;
  float rows_y_ = 0;
  float axis_y_ = 0;
  /// Below the axis: the numbers and the title.
  float foot_ = 0;
  bool has_histogram_ = false;
};

void DistributionsPanel::draw(Explorer& explorer) {
  explorer.board().get<ComparisonPair>().want();
  if (comparison_ != explorer.board().get<ComparisonPair>().comparison()) {
    comparison_ = explorer.board().get<ComparisonPair>().comparison();
    view_ = comparison_ ? distributions_of(*comparison_) : Distributions{};
  }
  if (!comparison_) {
    const MissingAnswer missing = explorer.board().get<ComparisonPair>().missing();
    empty_state(missing.heading, missing.text);
    return;
  }
  if (view_.empty()) {
    empty_state("No latencies",
                "Neither side was timed or predicted: choose a correct configuration, or a recorded point.");
    landmark("distributions.nothing");
    return;
  }
  Drawing(view_).draw();
  if (const std::string note = beyond_words(view_); !note.empty()) {
    text_wrapped(palette().muted, note);
    landmark("distributions.beyond");
  }
}

const RegisterPanel register_distributions_panel{[] { return std::make_unique<DistributionsPanel>(); }};

}  // namespace

}  // namespace tilescope
