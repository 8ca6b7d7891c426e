#include "app/panels/memory/microscope_controls.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/step_button.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

namespace {

/// Speed of play.
constexpr float seconds_per_step = 0.3F;

/// Longest text that fits a combo of this width: a cut number or unit would read as another one.
std::string longest_that_fits(const std::vector<std::string>& texts, float width) {
  const float room = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  for (const std::string& text : texts) {
    if (ImGui::CalcTextSize(text.c_str()).x <= room) return text;
  }
  return texts.back();
}

}  // namespace

void draw_site_picker(MemoryFocus& focus, const LookedAt& at) {
  const auto current = std::ranges::find_if(at.rows, [&](const AccessSiteRow& row) {
    return is_same_site(row, at.block->recording.sites[at.site]);
  });
  const float copies = at.copies.size() > 1 ? em() * 7.5F + ImGui::GetStyle().ItemSpacing.x : 0;
  const float width = std::max(ImGui::GetContentRegionAvail().x - copies, em() * 8);
  const std::string preview =
      current == at.rows.end() ? "" : longest_that_fits(site_previews(*current, !focus.is_chosen()), width);
  ImGui::SetNextItemWidth(width);
  const bool is_open = ImGui::BeginCombo("##site", preview.c_str(), ImGuiComboFlags_HeightLarge);
  landmark("microscope.site");
  if (!is_open) return help_tooltip("The access that is shown, of all accesses of the block; worst first");
  if (ImGui::Selectable("Worst access of the block", !focus.is_chosen())) focus.choose_line(0);
  landmark("microscope.site.worst");
  ImGui::Separator();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(at.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const AccessSiteRow& row = at.rows[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const bool is_current = focus.is_chosen() && current != at.rows.end() && &row == &*current;
      if (ImGui::Selectable(site_label(row).c_str(), is_current)) focus.choose_site(recorded_site(row));
      landmark(fmt::format("microscope.site.{}", i));
      ImGui::PopID();
    }
  }
  ImGui::EndCombo();
}

// "0x33c0  LDS.128 R20, [R48]", "PTX line 1357"
std::string copy_words(const RecordedSite& site) {
  return site.address ? fmt::format("{:#06x}  {}", *site.address, site.instruction) : code_place_words(site);
}

void draw_copy_picker(MemoryFocus& focus, const LookedAt& at) {
  if (at.copies.size() < 2) return;
  const auto place = std::ranges::find(at.copies, at.site) - at.copies.begin();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-FLT_MIN);
  const std::string preview = fmt::format("Copy {} of {}", place + 1, at.copies.size());
  const bool is_open = ImGui::BeginCombo("##copy", preview.c_str(), ImGuiComboFlags_HeightLarge);
  landmark("microscope.copy");
  if (!is_open)
    return help_tooltip(
        fmt::format("The compiler made {} instructions of this access, as of an unrolled loop. Each "
                    "has its own executions.",
                    at.copies.size()));
  for (std::size_t i = 0; i < at.copies.size(); ++i) {
    const std::uint32_t site = at.copies[i];
    const std::string label =
        fmt::format("{}  {} excess in this block##{}", copy_words(at.block->recording.sites[site]),
                    format_count(static_cast<std::int64_t>(at.block->totals[site].excess())), i);
    if (ImGui::Selectable(label.c_str(), site == at.site)) focus.choose_site(at.block->recording.sites[site]);
    landmark(fmt::format("microscope.copy.{}", i));
  }
  ImGui::EndCombo();
}

void ExecutionSteps::draw(Explorer& explorer, MemoryFocus& focus, const LookedAt& at, std::uint32_t warp) {
  const std::size_t now = at.execution(focus), last = at.executions() - 1;
  const float gap = em() * 0.25F;
  const auto button = [&](const char* id, StepIcon icon, const char* help, bool enabled) {
    const bool pressed = step_button(id, icon, help, enabled);
    ImGui::SameLine(0, gap);
    return pressed;
  };
  if (button("microscope.first", StepIcon::first, "First execution", now > 0)) focus.choose_execution(0);
  if (button("microscope.previous", StepIcon::previous, "Previous execution (left arrow on the slider)",
             now > 0))
    focus.choose_execution(now - 1);
  if (button("microscope.play", plays_ ? StepIcon::pause : StepIcon::play,
             plays_ ? "Stop" : "Step through the executions", last > 0)) {
    plays_ = !plays_;
    since_step_ = 0;
    if (plays_ && now == last) focus.choose_execution(0);
  }
  if (button("microscope.next", StepIcon::next, "Next execution (right arrow on the slider)", now < last))
    focus.choose_execution(now + 1);
  if (button("microscope.last", StepIcon::last, "Last execution", now < last)) focus.choose_execution(last);
  const bool is_worst = now == at.worst_execution();
  ImGui::BeginDisabled(is_worst);
  if (ImGui::Button("Worst")) focus.choose_execution(at.worst_execution());
  ImGui::EndDisabled();
  landmark("microscope.worst");
  help_tooltip_above(is_worst ? "This execution has the most excess of this access"
                              : "The execution with the most excess of this access");
  ImGui::SameLine(0, gap);
  draw_slider(focus, at, warp);
  play(explorer, focus, at);
}

void ExecutionSteps::draw_slider(MemoryFocus& focus, const LookedAt& at, std::uint32_t warp) {
  const std::size_t now = at.execution(focus);
  int number = static_cast<int>(now) + 1;
  const std::string text = execution_words(now, at.executions(), warp);
  ImGui::SetNextItemWidth(-FLT_MIN);
  // The format has no place for the number: the text already says it.
  if (ImGui::SliderInt("##execution", &number, 1, static_cast<int>(at.executions()), text.c_str(),
                       ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp))
    focus.choose_execution(static_cast<std::size_t>(number - 1));
  landmark("microscope.execution");
  if (const auto step = step_with_arrows({at.executions(), now, [](std::size_t) { return true; }}))
    focus.choose_execution(*step);
}

void ExecutionSteps::play(Explorer& explorer, MemoryFocus& focus, const LookedAt& at) {
  if (!plays_) return;
  since_step_ += ImGui::GetIO().DeltaTime;
  if (since_step_ >= seconds_per_step) {
    since_step_ = 0;
    const std::size_t now = at.execution(focus);
    if (now + 1 < at.executions()) focus.choose_execution(now + 1);
  }
  plays_ = at.execution(focus) + 1 < at.executions();
  explorer.notices().draw_again();
}

}  // namespace tilescope
