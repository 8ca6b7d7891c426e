#include "app/gui/help_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>

#include "base/json_reader.hpp"
#include "base/regular_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

GlossaryEntry glossary_entry_from(const ObjectReader& object) {
  GlossaryEntry entry;
  object.required("term", entry.term);
  object.required("text", entry.text);
  return entry;
}

Gesture gesture_from(const ObjectReader& object) {
  Gesture gesture;
  object.required("where", gesture.where);
  object.required("gesture", gesture.gesture);
  object.required("effect", gesture.effect);
  return gesture;
}

TaskStep task_step_from(const ObjectReader& object) {
  static const std::map<std::string, TaskStep::Condition> conditions{
      {"point_after_change", TaskStep::Condition::point_after_change},
      {"panel_read", TaskStep::Condition::panel_read},
      {"recorded_shown", TaskStep::Condition::recorded_shown}};
  TaskStep step;
  std::string done_when;
  object.required("id", step.id);
  object.required("title", step.title);
  object.required("text", step.text);
  object.required("done_when", done_when);
  object.optional("panels", step.panels);
  object.optional("button", step.button);
  object.optional("action", step.action);
  const auto condition = conditions.find(done_when);
  if (condition == conditions.end())
    throw DocumentError("/done_when", fmt::format("there is no condition '{}'", done_when));
  step.done_when = condition->second;
  return step;
}

PanelHelp panel_help_from(const ObjectReader& object) {
  PanelHelp help;
  object.required("panel", help.panel);
  object.required("help", help.help);
  object.required("formula", help.formula);
  return help;
}

template <class Entry>
std::vector<Entry> read_list(const fs::path& file, Entry (*entry_from)(const ObjectReader&),
                             std::vector<std::string>& problems) {
  try {
    const Json list = read_json_file(file);
    if (!list.is_array()) throw DocumentError("", "expected a list");
    std::vector<Entry> entries;
    for (const Json& item : list)
      entries.push_back(
          at_place(std::to_string(entries.size()), [&] { return entry_from(ObjectReader(item)); }));
    return entries;
  } catch (const std::exception& error) {
    problems.push_back(
        fmt::format("The help text {} is left out: {}.", file.string(), reason_without_file(error)));
    return {};
  }
}

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

HelpTexts read_help_texts(const fs::path& folder) {
  HelpTexts texts;
  texts.glossary = read_list(folder / "glossary.json", glossary_entry_from, texts.problems);
  texts.gestures = read_list(folder / "gestures.json", gesture_from, texts.problems);
  texts.first_task = read_list(folder / "first_task.json", task_step_from, texts.problems);
  texts.panels = read_list(folder / "panels.json", panel_help_from, texts.problems);
  return texts;
}

std::vector<const GlossaryEntry*> find_entries(const std::vector<GlossaryEntry>& glossary,
                                               const std::string& filter) {
  std::vector<const GlossaryEntry*> found;
  for (const GlossaryEntry& entry : glossary) {
    if (contains(entry.term, filter)) found.push_back(&entry);
  }
  for (const GlossaryEntry& entry : glossary) {
    if (!contains(entry.term, filter) && contains(entry.text, filter)) found.push_back(&entry);
  }
  return found;
}

std::string glossary_text(const std::vector<GlossaryEntry>& glossary, const std::string& term) {
  const auto is_term = [&](const GlossaryEntry& entry) {
    return entry.term.size() == term.size() && contains(entry.term, term);
  };
  const auto found = std::find_if(glossary.begin(), glossary.end(), is_term);
  return found == glossary.end() ? "" : found->text;
}

}  // namespace tilescope
