#include "sessions/views/point_details.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/panels/kernel_points.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/panel.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/compiler_log.hpp"
#include "sessions/views/point_text.hpp"

namespace tilescope {

namespace {

class PointDetailsPanel : public Panel {
 public:
  PointDetailsPanel() : Panel("details", "Point", {240, 160}) {}

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer, const std::shared_ptr<const Measurement>& point);
  void draw_status(const Measurement& point) const;
  void draw_source_age(const Explorer& explorer, const Measurement& point) const;
  void draw_section(const DetailSection& section) const;
  void draw_notes(const Measurement& point) const;
  void draw_log(const Explorer& explorer, const Measurement& point) const;

  std::shared_ptr<const Measurement> point_;
  bool recorded_ = false;
  std::vector<DetailSection> sections_;
  std::vector<LogLine> log_;
};

ImVec4 color_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return palette().ok;
    case Tone::bad:
      return palette().error;
    case Tone::plain:
      break;
  }
  return palette().text;
}

void PointDetailsPanel::draw(Explorer& explorer) {
  const std::shared_ptr<const Measurement> point = explorer.shown_point();
  if (!point) {
    empty_state(explorer.jobs().measuring() ? "Measuring..." : "No point",
                explorer.jobs().measuring() ? "It is compiled, checked and, where the GPU is present, timed."
                                            : "Move a slider, or click a point in a plot or in the table.");
    return;
  }
  derive(explorer, point);
  draw_status(*point);
  draw_source_age(explorer, *point);
  for (const DetailSection& section : sections_) {
    if (section.title == "Provenance") draw_notes(*point);
    draw_section(section);
  }
  draw_log(explorer, *point);
}

void PointDetailsPanel::derive(const Explorer& explorer, const std::shared_ptr<const Measurement>& point) {
  if (point == point_) return;
  point_ = point;
  const auto& recorded = explorer.points().recorded();
  recorded_ = std::find(recorded.begin(), recorded.end(), point) != recorded.end();
  sections_ = point_details(*point, recorded_);
  log_ = parse_compiler_log(point->compiler_log);
}

void PointDetailsPanel::draw_status(const Measurement& point) const {
  const bool unchecked = point.status == Status::ok && !point.error;
  const ImVec4 color = unchecked ? palette().accent : tilescope::color_of(point.status);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float radius = em() * 0.28F;
  ImGui::GetWindowDrawList()->AddCircleFilled({corner.x + radius, corner.y + ImGui::GetTextLineHeight() / 2},
                                              radius, to_u32(color));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em());
  ImGui::PushFont(fonts().bold, 0);
  text_colored(color, status_words(point));
  ImGui::PopFont();
  landmark("details.status");
  if (!point.reason.empty()) text_wrapped(palette().text, point.reason);
  {
    const MonoText mono;
    text_wrapped(palette().muted, point.kernel + "  " + to_string(point.parameters));
    text_wrapped(palette().muted, to_string(point.shape));
  }
  if (ImGui::SmallButton("Copy as command line")) ImGui::SetClipboardText(command_line(point).c_str());
}

/// Shown above the figures, which belong to an older file.
void PointDetailsPanel::draw_source_age(const Explorer& explorer, const Measurement& point) const {
  if (!is_of_older_source(point, explorer.kernels().sources())) return;
  const std::string error = explorer.selection().declaration_error();
  std::string text = "Older source: the kernel's file has changed since this point was compiled.";
  if (!error.empty()) {
    text += " It is measured again once the declaration can be read.";
  } else if (explorer.jobs().measuring()) {
    text += " It is being measured again.";
  }
  text_wrapped(palette().warning, text);
  landmark("details.older_source");
}

void PointDetailsPanel::draw_section(const DetailSection& section) const {
  section_heading(section.title, section.origin);
  for (const DetailComplaint& complaint : section.complaints) {
    text_colored(complaint.is_fault ? palette().error : palette().accent, complaint.title);
    text_wrapped(palette().text, complaint.sentence);
    ImGui::Spacing();
  }
  if (section.rows.empty()) return;
  if (ImGui::BeginTable(section.title.c_str(), 2, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthFixed, em() * 7.2F);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    for (const DetailRow& row : section.rows) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_muted(row.label);
      help_tooltip(row.help);
      ImGui::TableNextColumn();
      const MonoText mono;
      text_wrapped(color_of(row.tone), row.value);
    }
    ImGui::EndTable();
  }
  if (!section.text.empty()) text_wrapped(palette().muted, section.text);
}

void PointDetailsPanel::draw_notes(const Measurement& point) const {
  if (point.notes.empty()) return;
  section_heading("Not measured", "");
  for (const std::string& note : point.notes) {
    ImGui::Bullet();
    text_wrapped(palette().text, note);
  }
}

/// The log with its errors in red; above it the line of the kernel's source that the first one names.
void PointDetailsPanel::draw_log(const Explorer& explorer, const Measurement& point) const {
  if (log_.empty()) return;
  section_heading("Compiler's log", "NVRTC's own words");
  const MonoText mono;
  if (const LogLine* error = first_error(log_)) {
    const auto& sources = explorer.points().document().session().sources;
    const auto source = sources.find(point.provenance.source_sha256);
    if (source != sources.end() && error->file.ends_with(source->second.name)) {
      text_colored(palette().muted, error->file + ", line " + std::to_string(error->line));
      text_wrapped(palette().text, line_of(source->second.text, error->line));
    }
  }
  for (const LogLine& line : log_) {
    const bool is_error = line.severity == LogLine::Severity::error;
    const bool is_warning = line.severity == LogLine::Severity::warning;
    text_wrapped(is_error ? palette().error : is_warning ? palette().warning : palette().muted, line.text);
  }
}

const RegisterPanel register_point_details_panel{[] { return std::make_unique<PointDetailsPanel>(); }};

}  // namespace

}  // namespace tilescope
