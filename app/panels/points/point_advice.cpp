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
#include "base/text/format.hpp"
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

// Returns whether the button was pressed.
bool draw_change(const ParameterChange& change, const std::string& text, const std::string& name) {
  ImGui::PushID(text.c_str());
  ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
  const bool pressed = ImGui::Button("Apply");
  ImGui::PopStyleColor();
  landmark(name + ".apply." + to_string(change));
  help_tooltip("Sets the parameter. Undo takes it back.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().text, with_unbroken_units(text));
  ImGui::PopID();
  return pressed;
}

void draw_options(Advice& advice, std::size_t index) {
  for (const Advice::Option& option : advice.items()[index].options) {
    const std::string name = fmt::format("advice.{}", index);
    // The point changes, and with it the items.
    if (draw_change(option.change, option.text, name)) return advice.apply(ParameterChange(option.change));
  }
}

// Changes that gain nothing are folded away: the user may wonder whether they were tried.
void draw_tries_without_gain(const TriesText& tries) {
  if (tries.without_gain_words.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  const bool is_open = ImGui::TreeNodeEx("without gain", ImGuiTreeNodeFlags_NoTreePushOnOpen, "%s",
                                         tries.without_gain_words.c_str());
  ImGui::PopStyleColor();
  landmark("tries.without_gain");
  if (!is_open) return;
  for (const std::string& each : tries.without_gain) text_wrapped(palette().muted, each);
  landmark("tries.without_gain.list");
}

void draw_item(Advice& advice, std::size_t index, const SourceLinks& links) {
  const Advice::Item& item = advice.items()[index];
  const Diagnosis& diagnosis = item.diagnosis;
  const std::string name = fmt::format("advice.{}", index);
  draw_diagnosis(diagnosis, name, links, [&] {
    if (advice.counts() && advice.are_all_tried()) landmark(name + ".tried");
    if (!diagnosis.repair.empty() && item.options.empty()) text_wrapped(palette().muted, diagnosis.repair);
    draw_options(advice, index);
  });
}

}  // namespace

void draw_diagnosis(const Diagnosis& diagnosis, const std::string& name, const SourceLinks& links,
                    const std::function<void()>& draw_rest) {
  ImGui::PushID(name.c_str());
  {
    const TintedBox box("advice", color_of(diagnosis.severity));
    ImGui::PushFont(fonts().bold, 0);
    text_colored(color_of(diagnosis.severity), words_of(diagnosis.severity));
    ImGui::PopFont();
    ImGui::SameLine();
    text_wrapped(palette().text, diagnosis.text);
    landmark(name);
    const std::int64_t line = diagnosis.lines.empty() ? 0 : diagnosis.lines.front();
    const std::string hint = links.leads_to("", line) ? line_link_hint : "";
    const NamedLine named{line, diagnosis.inlined_place};
    source_tooltip(diagnosis.evidence, excerpt_around(links, named));
    if (draw_named_line(links, named)) {
      landmark(name + ".source");
      source_tooltip(diagnosis.evidence, excerpt_around(links, named), hint);
    }
    if (diagnosis.saving) {
      text_wrapped(palette().text,
                   fmt::format("Removing this would save {}.",
                               format_spread(diagnosis.saving->low_us, diagnosis.saving->high_us)));
      landmark(name + ".saving");
    }
    draw_rest();
  }
  ImGui::PopID();
}

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
    if (!applied->sentence.empty()) text_wrapped(palette().text, applied->sentence);
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
  section_heading("Advice", "");
  const std::size_t count = advice.items().size();
  std::vector<Diagnosis> diagnoses;
  for (std::size_t i = 0; i < count && i < advice.items().size(); ++i) {
    diagnoses.push_back(advice.items()[i].diagnosis);
    draw_item(advice, i, links);
  }
  if (const std::string note = note_on_savings(diagnoses); !note.empty()) text_wrapped(palette().muted, note);
}

void draw_tries(Explorer& explorer) {
  auto& advice = explorer.board().get<Advice>();
  const TriesText& tries = advice.tries();
  if (tries.gains.empty() && tries.without_gain.empty() && tries.not_tried_words.empty()) return;
  const bool goes_on = advice.counts() && !advice.are_all_tried();
  section_heading("Tries", goes_on ? fmt::format("{} of {}", advice.tried(), advice.tries_count()) : "");
  landmark(goes_on ? "tries.going_on" : "tries.all");
  for (const TriesText::Gain& gain : tries.gains) {
    const ParameterChange change{gain.parameter, gain.value};
    if (!advice.counts()) {
      text_wrapped(palette().text, gain.text);
    } else if (draw_change(change, gain.text, "tries")) {
      return advice.apply(change);
    }
  }
  draw_tries_without_gain(tries);
  if (!tries.not_tried_words.empty()) text_wrapped(palette().muted, tries.not_tried_words);
}

}  // namespace tilescope
