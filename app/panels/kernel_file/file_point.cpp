#include "app/panels/kernel_file/file_point.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cstddef>
#include <cstdint>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/kernel_file/site_table.hpp"
#include "app/panels/points/detail_table.hpp"
#include "app/panels/points/point_advice.hpp"
#include "app/panels/points/point_findings.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/status.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

// Lines around one in a tooltip.
constexpr std::int64_t context_lines = 2;

void draw_status(const OpenedFileView& view) {
  const ImVec4 color = view.faults > 0                          ? palette().error
                       : view.point.status == Status::unchecked ? palette().accent
                                                                : color_of(view.point.status);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float radius = em() * 0.28F;
  ImGui::GetWindowDrawList()->AddCircleFilled({corner.x + radius, corner.y + ImGui::GetTextLineHeight() / 2},
                                              radius, to_u32(color));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em());
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(color, view.status);
  ImGui::PopFont();
  landmark("kernel_file.status");
  if (!view.point.reason.empty()) text_wrapped(palette().text, capitalised(view.point.reason));
  const MonoText mono;
  text_wrapped(palette().muted, launch_words(view.point));
  landmark("kernel_file.launch");
}

void draw_latency(const OpenedFileView& view) {
  if (!view.point.latency) return;
  section_heading("Measured", "on " + view.point.device.name);
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, with_unbroken_units(measured_words(*view.point.latency)));
  ImGui::PopFont();
  landmark("kernel_file.latency");
}

void draw_prediction(const OpenedFileView& view, const ModelHelp& help) {
  // The status says why.
  if (!view.parts && !has_run(view.point.status)) return;
  section_heading("Where the time goes", view.parts ? "predicted for " + view.point.device.name : "");
  if (!view.parts) return text_wrapped(palette().muted, view.why_not_predicted);
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, view.parts->heading);
  ImGui::PopFont();
  landmark("kernel_file.prediction");
  draw_model_bars(*view.parts, false, help);
  if (!view.parts->summary.empty()) text_wrapped(palette().text, with_unbroken_units(view.parts->summary));
  draw_parts_table(*view.parts, help);
  if (!view.further_parts.empty()) text_muted(view.further_parts);
}

// Returns whether it was pressed.
bool layouts_button(const std::string& mark) {
  const bool pressed = ImGui::SmallButton(("Find layouts##" + mark).c_str());
  landmark(mark + ".layouts");
  help_tooltip("Paddings and swizzles of the array that remove the conflicts, in Swizzle solver (file).");
  return pressed;
}

std::optional<std::int64_t> draw_advice(const OpenedFileView& view, const SourceLinks& links) {
  std::optional<std::int64_t> layouts_of_line;
  if (view.diagnoses.empty()) return layouts_of_line;
  section_heading("Advice", "");
  std::size_t index = 0;
  for (const Diagnosis& diagnosis : view.diagnoses) {
    const std::string mark = fmt::format("advice.{}", index++);
    draw_diagnosis(diagnosis, mark, links, [&] {
      if (!diagnosis.repair.empty()) text_wrapped(palette().muted, diagnosis.repair);
      if (diagnosis.kind == "bank_conflicts" && layouts_button(mark))
        layouts_of_line = diagnosis.lines.empty() ? 0 : diagnosis.lines.front();
    });
  }
  return layouts_of_line;
}

void draw_further(std::size_t count) {
  if (count > 0) text_muted(fmt::format("and {} more, each with less excess", count));
}

std::optional<RecordedSite> draw_sites(const OpenedFileView& view) {
  std::optional<RecordedSite> clicked;
  const auto draw_table = [&](const char* id, const std::vector<FileSiteRow>& rows, bool is_shared) {
    if (const auto row = draw_site_table(id, rows, is_shared)) clicked = rows[*row].site;
  };
  if (!view.shared_sites.empty()) {
    section_heading("Shared memory by line", view.counts_origin);
    draw_table("shared", view.shared_sites, true);
    draw_further(view.further_shared_sites);
  }
  if (!view.global_sites.empty()) {
    section_heading("Global memory by line", view.counts_origin);
    draw_table("global", view.global_sites, false);
    draw_further(view.further_global_sites);
  }
  if (!view.sample_words.empty()) text_wrapped(palette().muted, view.sample_words);
  return clicked;
}

void draw_notes(const OpenedFileView& view) {
  if (view.notes.empty()) return;
  section_heading("Notes", "");
  for (const std::string& note : view.notes) {
    ImGui::Bullet();
    text_wrapped(palette().text, note);
  }
}

}  // namespace

void FilePoint::forget() {
  excerpts_.clear();
}

SourceLinks FilePoint::links_to(const OpenedFileView& view) {
  SourceLinks links;
  links.kernel_file = view.source.name;
  links.find_excerpt = [this, &view](const std::string& file, std::int64_t line) -> const SourceExcerpt& {
    const auto [found, is_new] = excerpts_.try_emplace({file, line});
    if (is_new && line > 0) found->second = excerpt_of(view.source, file, line, context_lines);
    return found->second;
  };
  return links;
}

void FilePoint::draw_findings(const OpenedFileView& view, const SourceLinks& links) {
  if (view.complaints.empty() && view.check_words.empty()) return;
  section_heading("Findings", "checked by the interpreter");
  if (!view.check_words.empty()) {
    const bool is_clean = view.complaints.empty() && view.faults == 0;
    text_wrapped(is_clean ? palette().ok : palette().text, view.check_words);
    landmark("kernel_file.findings");
  }
  draw_complaints(view.complaints, links);
}

/// Faults come before the prediction: a kernel with a race has no latency of interest.
FilePointAction FilePoint::draw(const OpenedFileView& view, const ModelHelp& help) {
  const SourceLinks links = links_to(view);
  heights_.begin();
  draw_status(view);
  if (view.faults > 0) draw_findings(view, links);
  draw_latency(view);
  draw_prediction(view, help);
  if (view.faults == 0) draw_findings(view, links);
  FilePointAction action;
  action.layouts_of_line = draw_advice(view, links);
  action.site = draw_sites(view);
  const float labels = width_of_labels(view.sections);
  for (const DetailSection& section : view.sections) draw_section(section, labels, links, heights_);
  draw_notes(view);
  return action;
}

}  // namespace tilescope
