#include "app/panels/points/point_findings.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "app/explorer/asked_experiment.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

void draw_complaint(const Complaint& complaint, int index, const SourceLinks& links) {
  const ImVec4 color = complaint.is_fault ? palette().error : palette().accent;
  ImGui::PushID(index);
  {
    const TintedBox box("finding", color);
    ImGui::PushFont(fonts().bold, 0);
    text_colored(color, complaint.title);
    ImGui::PopFont();
    landmark(fmt::format("finding.{}", index));
    ImGui::SameLine();
    text_muted(complaint.is_fault ? "Fault" : "Hint");
    text_wrapped(palette().text, complaint.sentence);
    for (const std::int64_t line : complaint.lines) {
      if (!draw_named_line(links, {line})) continue;
      source_tooltip("", links.find_excerpt("", line), links.leads_to("", line) ? line_link_hint : "");
      landmark(fmt::format("finding.{}.line.{}", index, line));
    }
    if (!complaint.occurrence.empty()) text_wrapped(palette().muted, complaint.occurrence);
  }
  ImGui::PopID();
}

void draw_progress(CheckRun& check) {
  const std::string stage = check.stage();
  text_wrapped(palette().muted, "Running the checkers" + (stage.empty() ? "..." : ": " + stage + "..."));
  landmark("findings.running");
  if (ImGui::SmallButton("Cancel")) check.cancel();
  landmark("findings.cancel");
}

// "No findings" says little without the faults that it is about.
void draw_looked_for(const Measurement& checked) {
  const std::string words = looked_for_words(checked);
  if (words.empty()) return;
  text_wrapped(palette().muted, words);
  landmark("findings.looked_for");
}

}  // namespace

void draw_findings(CheckRun& check, const std::vector<Complaint>& complaints, const Measurement* checked,
                   const SourceLinks& links) {
  if (complaints.empty() && checked == nullptr && !check.running()) return;
  // An exhibit's card may leave no room for them.
  if (check.take_answered()) ImGui::SetScrollHereY(0);
  section_heading("Findings", "checked by the interpreter");
  if (check.running()) return draw_progress(check);
  if (checked != nullptr) {
    const bool has_run = checked->status == Status::ok || checked->memory || !checked->findings.empty();
    const bool is_clean = checked->findings.empty() && checked->status == Status::ok;
    text_wrapped(is_clean ? palette().ok : palette().text,
                 has_run ? check_summary(*checked) : status_words(*checked) + ": " + checked->reason);
    landmark(is_clean ? "findings.none" : "findings.summary");
  }
  draw_complaints(complaints, links);
  if (checked != nullptr) draw_looked_for(*checked);
}

void draw_complaints(const std::vector<Complaint>& complaints, const SourceLinks& links) {
  int index = 0;
  for (const Complaint& complaint : complaints) draw_complaint(complaint, index++, links);
}

void draw_run_checkers(Explorer& explorer) {
  auto& check = explorer.board().get<CheckRun>();
  const std::string why_not = why_not_interpreted(explorer.board()).text;
  ImGui::BeginDisabled(!why_not.empty() || check.running());
  if (ImGui::Button("Run checkers")) check.start();
  landmark("findings.run");
  ImGui::EndDisabled();
  help_tooltip(why_not.empty()
                   ? "Interprets the kernel and looks for races, accesses out of bounds, reads of "
                     "uninitialised shared memory and barriers that not all threads reach."
                   : why_not);
}

}  // namespace tilescope
