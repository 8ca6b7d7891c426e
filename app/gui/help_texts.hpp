#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

struct GlossaryEntry {
  std::string term;
  std::string text;
};

/// Effect of the mouse in one place.
struct Gesture {
  std::string where;
  std::string gesture;
  std::string effect;
};

/// A step of the first task.
struct TaskStep {
  enum class Condition { point_after_change, panel_read, recorded_shown };

  std::string id;
  std::string title;
  std::string text;
  Condition done_when = Condition::point_after_change;
  /// Ids, for Condition::panel_read.
  std::vector<std::string> panels;
  /// The label of a button and the id of the action that it runs; both empty for none.
  std::string button;
  std::string action;
};

/// Explains a panel and how its figures are computed.
struct PanelHelp {
  /// The panel's id.
  std::string panel;
  /// Two sentences.
  std::string help;
  std::string formula;
};

struct HelpTexts {
  std::vector<GlossaryEntry> glossary;
  std::vector<Gesture> gestures;
  std::vector<TaskStep> first_task;
  std::vector<PanelHelp> panels;
  /// A sentence for each file that could not be read, whose list is empty then.
  std::vector<std::string> problems;
};

/// Reads glossary.json, gestures.json, first_task.json and panels.json of a folder (assets/help).
HelpTexts read_help_texts(const std::filesystem::path& folder);

/// The entries whose term or text contains `filter`, without regard to case; terms first. All for an empty filter.
std::vector<const GlossaryEntry*> find_entries(const std::vector<GlossaryEntry>& glossary,
                                               const std::string& filter);

/// The text of a term, without regard to case; "" where the glossary does not have it.
std::string glossary_text(const std::vector<GlossaryEntry>& glossary, const std::string& term);

}  // namespace tilescope
