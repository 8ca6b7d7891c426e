#include "app/panels/compare/waterfall_bars.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

using Kind = WaterfallBar::Kind;

enum class FigureKind { measured, recorded, predicted };

FigureKind kind_of(const Comparison& comparison, const Measurement& side) {
  if (comparison.basis == Basis::predicted || !side.latency) return FigureKind::predicted;
  return side.latency->kind == LatencyKind::recorded ? FigureKind::recorded : FigureKind::measured;
}

ImVec4 color_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::measured:
      return palette().measured;
    case FigureKind::recorded:
      return palette().recorded;
    case FigureKind::predicted:
      break;
  }
  return palette().predicted;
}

const char* words_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::measured:
      return "measured";
    case FigureKind::recorded:
      return "recorded";
    case FigureKind::predicted:
      break;
  }
  return "predicted";
}

bool is_side(const WaterfallBar& bar) {
  return bar.kind == Kind::side_a || bar.kind == Kind::side_b;
}

float line_weight() {
  return std::max(1.0F, std::round(em() * 0.1F));
}

// Measured bars are filled, recorded ones hatched, predicted ones hollow: they differ without color.
void draw_side(ImDrawList& draw, ImVec2 min, ImVec2 max, FigureKind kind) {
  const ImVec4 color = color_of(kind);
  if (kind == FigureKind::measured) return draw.AddRectFilled(min, max, to_u32(color));
  draw.AddRectFilled(min, max, to_u32(wash(color, kind == FigureKind::recorded ? 0.45F : 0.12F)));
  if (kind == FigureKind::recorded) hatch(draw, min, max, wash(color, 0.8F), em() * 0.5F);
  draw.AddRect(min, max, to_u32(color), 0, line_weight());
}

void draw_change(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color) {
  draw.AddRectFilled(min, max, to_u32(wash(color, 0.75F)));
  draw.AddRect(min, max, to_u32(color), 0, line_weight());
}

// No part of the model: neither a change's color nor a kind's.
void draw_residual(ImDrawList& draw, ImVec2 min, ImVec2 max) {
  draw.AddRectFilled(min, max, to_u32(palette().surface));
  hatch(draw, min, max, palette().text, em() * 0.4F);
  draw.AddRect(min, max, to_u32(palette().text), 0, line_weight());
}

class Rows {
 public:
  Rows(const Waterfall& waterfall, const Comparison& comparison, const WaterfallHelp& help)
      : waterfall_(waterfall),
        comparison_(comparison),
        help_(help),
        draw_(*ImGui::GetWindowDrawList()),
        corner_(ImGui::GetCursorScreenPos()),
        line_(ImGui::GetTextLineHeight()),
        row_(line_ * 1.45F) {
    for (const WaterfallBar& bar : waterfall.bars)
      labels_ = std::max(labels_, ImGui::CalcTextSize(bar.name.c_str()).x + em());
    const MonoText mono;
    for (const WaterfallBar& bar : waterfall.bars) {
      times_ = std::max(times_, ImGui::CalcTextSize(time_words(bar).c_str()).x + em() * 0.7F);
      shares_ = std::max(shares_, ImGui::CalcTextSize(bar.share.c_str()).x + em() * 0.7F);
    }
    whole_ = ImGui::GetContentRegionAvail().x;
    width_ = whole_ - labels_ - times_ - shares_;
    // The share is in the tooltip too.
    if (width_ < em() * 9) shares_ = 0;
    width_ = std::max(em() * 5, whole_ - labels_ - times_ - shares_);
  }

  std::optional<std::size_t> draw() {
    draw_axis();
    std::optional<std::size_t> clicked;
    for (std::size_t i = 0; i < waterfall_.bars.size(); ++i) {
      if (draw_row(i)) clicked = i;
    }
    ImGui::SetCursorScreenPos({corner_.x, bottom()});
    ImGui::Dummy({whole_, line_ * 1.3F});
    return clicked;
  }

 private:
  float bottom() const { return corner_.y + row_ * static_cast<float>(waterfall_.bars.size()); }
  float top_of(std::size_t index) const { return corner_.y + row_ * static_cast<float>(index); }
  float inset() const { return std::round(row_ * 0.16F); }
  float x(double us) const {
    const double share = (us - waterfall_.begin_us) / (waterfall_.end_us - waterfall_.begin_us);
    return std::round(corner_.x + labels_ + width_ * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  static std::string time_words(const WaterfallBar& bar) {
    return is_side(bar) ? format_latency(bar.to_us) : signed_latency(bar.change_us());
  }
  const Measurement& side_of(const WaterfallBar& bar) const {
    return bar.kind == Kind::side_a ? comparison_.a : comparison_.b;
  }

  void draw_axis() {
    float last_right = 0;
    const double step = waterfall_.ticks.size() > 1 ? waterfall_.ticks[1] - waterfall_.ticks[0] : 1;
    const int decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;
    for (const double tick : waterfall_.ticks) {
      draw_.AddLine({x(tick), corner_.y}, {x(tick), bottom()}, to_u32(wash(palette().muted, 0.2F)));
      const bool is_last = tick == waterfall_.ticks.back();
      const std::string text = format_number(tick, decimals) + (is_last ? " µs" : "");
      const float wide = ImGui::CalcTextSize(text.c_str()).x;
      const float left = x(tick) - wide / 2;
      if (left < last_right + em() * 0.5F) continue;
      draw_.AddText({left, bottom() + line_ * 0.1F}, to_u32(palette().muted), text.c_str());
      last_right = left + wide;
    }
  }

  bool draw_row(std::size_t index) {
    const WaterfallBar& bar = waterfall_.bars[index];
    const float top = top_of(index);
    ImGui::SetCursorScreenPos({corner_.x, top});
    ImGui::PushID(static_cast<int>(index));
    const bool clicked = ImGui::InvisibleButton("bar", {whole_, row_}, ImGuiButtonFlags_EnableNav);
    ImGui::PopID();
    landmark("compare.bar." + bar.name);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible)) {
      draw_.AddRectFilled({corner_.x, top}, {corner_.x + whole_, top + row_},
                          to_u32(wash(palette().hovered, 0.7F)), em() * 0.15F);
    }
    draw_bar(bar, top);
    draw_texts(bar, top);
    if (index + 1 < waterfall_.bars.size()) {
      // Where the next bar begins.
      draw_.AddLine({x(bar.to_us), top + row_ - inset()}, {x(bar.to_us), top + row_ + inset()},
                    to_u32(palette().muted), line_weight());
    }
    if (hovered) explain(bar);
    return clicked;
  }

  void draw_bar(const WaterfallBar& bar, float top) {
    const float from = x(is_side(bar) ? waterfall_.begin_us : bar.from_us), to = x(bar.to_us);
    const ImVec2 min{std::min(from, to), top + inset()};
    const ImVec2 max{std::max(std::max(from, to), min.x + 2 * line_weight()), top + row_ - inset()};
    switch (bar.kind) {
      case Kind::side_a:
      case Kind::side_b:
        draw_side(draw_, min, max, kind_of(comparison_, side_of(bar)));
        if (waterfall_.begin_us > 0) draw_break(min, max);
        return draw_spread(bar, top);
      case Kind::part:
      case Kind::others:
        return draw_change(draw_, min, max, color_of_change(bar));
      case Kind::residual:
        return draw_residual(draw_, min, max);
    }
  }

  /// The bar does not begin at 0.
  void draw_break(ImVec2 min, ImVec2 max) {
    const float at = min.x + em() * 0.6F, step = em() * 0.35F;
    for (const float x : {at, at + step}) {
      draw_.AddLine({x, max.y + 1}, {x + step, min.y - 1}, to_u32(palette().surface), 2 * line_weight());
    }
  }

  /// The noise floor as a band around the bar's end; on B's bar also the interval of the ratio.
  void draw_spread(const WaterfallBar& bar, float top) {
    const float middle = top + row_ / 2;
    if (comparison_.noise_floor) {
      const double floor_us = bar.to_us * *comparison_.noise_floor;
      float low = x(bar.to_us - floor_us), high = x(bar.to_us + floor_us);
      if (high - low < 2 * line_weight()) high = low + 2 * line_weight();
      draw_.AddRectFilled({low, top + 1}, {high, top + row_ - 1}, to_u32(wash(palette().warning, 0.55F)));
    }
    if (bar.kind == Kind::side_a || waterfall_.b_high_us <= waterfall_.b_low_us) return;
    const float low = x(waterfall_.b_low_us), high = x(waterfall_.b_high_us);
    if (high - low < 3 * line_weight()) return;
    const float cap = em() * 0.25F;
    draw_.AddLine({low, middle}, {high, middle}, to_u32(palette().text), line_weight());
    for (const float end : {low, high})
      draw_.AddLine({end, middle - cap}, {end, middle + cap}, to_u32(palette().text), line_weight());
  }

  void draw_texts(const WaterfallBar& bar, float top) {
    const float text_y = std::round(top + (row_ - line_) / 2);
    if (is_side(bar)) ImGui::PushFont(fonts().bold, 0);
    const ImVec4 name = bar.kind == Kind::others ? palette().muted : palette().text;
    draw_.AddText({corner_.x + em() * 0.3F, text_y}, to_u32(name), bar.name.c_str());
    if (is_side(bar)) ImGui::PopFont();
    const MonoText mono;
    const bool is_change = bar.kind == Kind::part || bar.kind == Kind::others;
    draw_right(corner_.x + labels_ + width_ + times_, text_y,
               is_change ? color_of_change(bar) : palette().text, time_words(bar));
    if (shares_ > 0) draw_right(corner_.x + whole_ - em() * 0.2F, text_y, palette().muted, bar.share);
  }

  void draw_right(float right, float y, const ImVec4& color, const std::string& text) {
    draw_.AddText({std::round(right - ImGui::CalcTextSize(text.c_str()).x), y}, to_u32(color), text.c_str());
  }

  void explain(const WaterfallBar& bar) const {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!ImGui::BeginTooltip()) return;
    if (is_side(bar)) {
      explain_side(bar);
    } else {
      tooltip_body(bar.name,
                   {{"B minus A", signed_latency(bar.change_us())},
                    {"share", bar.share.empty() ? "-" : bar.share + " of the difference"}},
                   "");
    }
    ImGui::PushTextWrapPos(em() * 30);
    if (!bar.text.empty()) text_colored(palette().text, bar.text + (bar.text.back() == '.' ? "" : "."));
    for (const std::string& part : bar.summed) text_colored(palette().text, part);
    const std::string what = bar.kind == Kind::part && help_.of_part ? help_.of_part(bar.name) : "";
    if (!what.empty()) text_muted(what);
    if (bar.kind == Kind::residual)
      text_muted("What the model does not explain of the difference. It is not spread over the parts.");
    if (bar.kind == Kind::others)
      text_muted("Parts below " + format_percent(least_part_share) + " of the longer time.");
    if (help_.of_click) text_muted(help_.of_click(bar));
    ImGui::PopTextWrapPos();
    landmark("compare.bar_tooltip");
    ImGui::EndTooltip();
  }

  void explain_side(const WaterfallBar& bar) const {
    const Measurement& side = side_of(bar);
    const Measurement& other = bar.kind == Kind::side_a ? comparison_.b : comparison_.a;
    std::vector<TextPair> lines{{words_of(kind_of(comparison_, side)), format_latency(bar.to_us)}};
    if (comparison_.noise_floor) lines.emplace_back("noise floor", format_percent(*comparison_.noise_floor));
    tooltip_body(bar.name + ": " + side_name(side, other), lines, "");
  }

  const Waterfall& waterfall_;
  const Comparison& comparison_;
  const WaterfallHelp& help_;
  ImDrawList& draw_;
  ImVec2 corner_;
  float line_;
  float row_;
  float labels_ = 0;
  float times_ = 0;
  float shares_ = 0;
  float whole_ = 0;
  float width_ = 0;
};

template <class Draw>
void legend_entry(const std::string& text, const Draw& draw_swatch) {
  const float swatch = em() * 1.2F;
  same_line_if_fits(swatch + em() * 0.4F + ImGui::CalcTextSize(text.c_str()).x);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  ImGui::BeginGroup();
  draw_swatch(*ImGui::GetWindowDrawList(), ImVec2{corner.x, corner.y + line * 0.2F},
              ImVec2{corner.x + swatch, corner.y + line * 0.8F});
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + swatch + em() * 0.4F);
  text_muted(text);
  ImGui::EndGroup();
}

}  // namespace

ImVec4 color_of_change(const WaterfallBar& bar) {
  return bar.change_us() < 0 ? palette().ok : palette().error;
}

std::optional<std::size_t> draw_waterfall(const Waterfall& waterfall, const Comparison& comparison,
                                          const WaterfallHelp& help) {
  return Rows(waterfall, comparison, help).draw();
}

void draw_waterfall_legend(const Waterfall& waterfall, const Comparison& comparison) {
  ImGui::Dummy({0, 0});  // The first entry begins a line.
  const FigureKind a = kind_of(comparison, comparison.a), b = kind_of(comparison, comparison.b);
  std::vector<FigureKind> kinds{a};
  if (b != a) kinds.push_back(b);
  for (const FigureKind kind : kinds)
    legend_entry(words_of(kind),
                 [&](ImDrawList& draw, ImVec2 min, ImVec2 max) { draw_side(draw, min, max, kind); });
  if (comparison.noise_floor) {
    legend_entry("noise floor " + format_percent(*comparison.noise_floor),
                 [](ImDrawList& draw, ImVec2 min, ImVec2 max) {
                   draw.AddRectFilled(min, max, to_u32(wash(palette().warning, 0.55F)));
                 });
  }
  const auto has = [&](const auto& is_such) {
    return std::any_of(waterfall.bars.begin(), waterfall.bars.end(), is_such);
  };
  const auto is_change = [](const WaterfallBar& bar) {
    return bar.kind == Kind::part || bar.kind == Kind::others;
  };
  for (const bool saves : {true, false}) {
    if (!has([&](const WaterfallBar& bar) { return is_change(bar) && (bar.change_us() < 0) == saves; }))
      continue;
    legend_entry(saves ? "saves time" : "takes time", [saves](ImDrawList& draw, ImVec2 min, ImVec2 max) {
      draw_change(draw, min, max, saves ? palette().ok : palette().error);
    });
  }
  if (has([](const WaterfallBar& bar) { return bar.kind == Kind::residual; }))
    legend_entry("residual: not in the model", draw_residual);
  if (has(is_change)) {
    same_line_if_fits(em() * 10);
    text_muted("parts: predicted");
  }
}

}  // namespace tilescope
