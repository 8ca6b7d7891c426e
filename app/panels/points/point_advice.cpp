#include "app/panels/points/point_advice.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"

namespace tilescope {

namespace {

ImVec4 color_of(Severity severity) {
  switch (severity) {
    case Severity::fault:
      return palette().error;
    case Severity::cost:
      return palette().warning;
    case Severity::hint:
      break;
  }
  return palette().accent;
}

const char* words_of(Severity severity) {
  switch (severity) {
    case Severity::fault:
      return "Fault";
    case Severity::cost:
      return "Cost";
    case Severity::hint:
      break;
  }
  return "Hint";
}

void draw_worth(const std::vector<Worth>& rows) {
  if (rows.empty() || !ImGui::BeginTable("worth", 3, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableNextColumn();
  for (const char* header : {"Before", "Now"}) {
    ImGui::TableNextColumn();
    text_muted(header);
  }
  for (const Worth& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_muted(row.label);
    ImGui::TableNextColumn();
    const MonoText mono;
    text_colored(palette().text, row.before);
    ImGui::TableNextColumn();
    text_colored(row.tone == Tone::good  ? palette().ok
                 : row.tone == Tone::bad ? palette().error
                                         : palette().text,
                 row.now);
  }
  ImGui::EndTable();
}

// The changes that were counted and do not help, in a tooltip: the user may wonder whether they were tried.
void draw_others(const Advice::Item& item) {
  const std::size_t others = item.counted() - item.helpful();
  if (others == 0) return;
  text_muted(item.helpful() == 0 ? fmt::format("None of {} counted changes helps.", others)
                                 : fmt::format("{} more counted, without gain.", others));
  std::string texts;
  for (const Advice::Option& option : item.options) {
    if (option.judged && !option.judged->helps) texts += (texts.empty() ? "" : "\n") + option.judged->text;
  }
  help_tooltip(texts);
}

void draw_options(Advice& advice, std::size_t index) {
  const Advice::Item& item = advice.items()[index];
  for (std::size_t i = 0; i < item.helpful(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    const bool pressed = ImGui::Button("Apply");
    ImGui::PopStyleColor();
    landmark(fmt::format("advice.{}.apply.{}", index, to_string(item.options[i].change)));
    help_tooltip("Sets the parameter. Undo takes it back.");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text_wrapped(palette().text, item.options[i].judged->text);
    ImGui::PopID();
    // The point changes, and with it the items.
    if (pressed) {
      const ParameterChange change = item.options[i].change;
      return advice.apply(index, change);
    }
  }
  if (item.counted() < item.options.size()) {
    text_muted(fmt::format("Counting alternatives... {} of {}", item.counted(), item.options.size()));
  } else {
    draw_others(item);
  }
}

void draw_item(Advice& advice, std::size_t index, const SourceLinks& links) {
  const Advice::Item& item = advice.items()[index];
  const Diagnosis& diagnosis = item.diagnosis;
  ImGui::PushID(static_cast<int>(index));
  {
    const TintedBox box("advice", color_of(diagnosis.severity));
    ImGui::PushFont(fonts().bold, 0);
    text_colored(color_of(diagnosis.severity), words_of(diagnosis.severity));
    ImGui::PopFont();
    ImGui::SameLine();
    text_wrapped(palette().text, diagnosis.text);
    landmark(fmt::format("advice.{}", index));
    const bool is_counted = !item.options.empty() && item.counted() == item.options.size();
    if (is_counted) landmark(fmt::format("advice.{}.counted", index));
    const std::int64_t line = diagnosis.lines.empty() ? 0 : diagnosis.lines.front();
    const std::string hint = links.leads_to("", line) ? line_link_hint : "";
    const NamedLine named{line, diagnosis.inlined_place};
    source_tooltip(diagnosis.evidence, excerpt_around(links, named));
    if (draw_named_line(links, named)) {
      landmark(fmt::format("advice.{}.source", index));
      source_tooltip(diagnosis.evidence, excerpt_around(links, named), hint);
    }
    if (!diagnosis.repair.empty() && !(is_counted && item.helpful() > 0))
      text_wrapped(palette().muted, diagnosis.repair);
    draw_options(advice, index);
  }
  ImGui::PopID();
}

}  // namespace

void draw_applied(Explorer& explorer) {
  const std::optional<Advice::Applied>& applied = explorer.board().get<Advice>().applied();
  if (!applied) return;
  const TintedBox box("applied", palette().ok);
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, to_string(applied->change) + " applied");
  ImGui::PopFont();
  landmark("advice.applied");
  if (!applied->now) {
    text_muted("Measuring...");
  } else {
    text_wrapped(palette().text, applied->sentence);
    draw_worth(applied->rows);
    if (explorer.shown().compared() != applied->before) {
      if (ImGui::Button("Compare all figures")) explorer.shown().compare_with(applied->before);
      landmark("advice.compare");
      ImGui::SameLine();
    }
  }
  // Undoes the change alone: a side of the comparison may have been chosen since.
  if (ImGui::Button("Undo")) {
    Experiment experiment = explorer.selection().experiment();
    const std::string& parameter = applied->change.parameter;
    experiment.parameters[parameter] = applied->before->parameters.at(parameter);
    explorer.selection().set_experiment(std::move(experiment));
  }
  landmark("advice.undo");
}

void draw_diagnoses_line(const Advice& advice) {
  std::vector<Diagnosis> diagnoses;
  diagnoses.reserve(advice.items().size());
  for (const Advice::Item& item : advice.items()) diagnoses.push_back(item.diagnosis);
  if (diagnoses.empty()) return ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  const std::string line = kinds_line(diagnoses);
  if (!text_in_one_line(color_of(diagnoses.front().severity), line)) help_tooltip(line);
  landmark("details.diagnoses");
}

void draw_advice(Explorer& explorer, const SourceLinks& links) {
  auto& advice = explorer.board().get<Advice>();
  if (advice.items().empty()) return;
  section_heading("Advice", advice.counts() ? "alternatives counted" : "");
  const std::size_t count = advice.items().size();
  for (std::size_t i = 0; i < count && i < advice.items().size(); ++i) draw_item(advice, i, links);
}

}  // namespace tilescope
