#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/service/requests/step.hpp"
#include "sessions/experiment.hpp"

/// A lesson: a Markdown file with fenced blocks that the program runs. assets/lessons/WRITING.md describes the format.
namespace tilescope {

/// Text of one style.
struct LessonSpan {
  enum class Style { plain, bold, italic, code, image };
  Style style = Style::plain;
  std::string text;
  /// Target of a link or an image: an address, or a path from the lesson's folder; "" for none.
  std::string target;

  bool operator==(const LessonSpan&) const = default;
};
using LessonText = std::vector<LessonSpan>;
/// Without its styles.
std::string plain_text(const LessonText& text);

/// Settings of the sliders.
struct LessonConfiguration {
  std::string kernel;
  /// Parameters that are left out have their default.
  Configuration parameters;
  Shape shape;

  bool operator==(const LessonConfiguration&) const = default;
};
/// The experiment that measures it, on a device of the tables; "" for the default one.
Experiment experiment_of(const LessonConfiguration& configuration, const std::string& device = "");

/// A block `configure`: from here on in the text this configuration is in force.
struct LessonConfigure {
  LessonConfiguration configuration;
  /// Text on its button.
  std::string label;
};

/// A block `open`.
struct LessonOpen {
  /// By its id.
  std::string panel;
  std::string label;
  /// Line of the kernel's file, for panels that show one.
  std::optional<std::uint32_t> line;
};

/// A block `step`: the play head goes there, from the start of the block.
struct LessonStep {
  StepTarget target;
  std::optional<StepInputs> inputs;
  std::string label;
};

/// Explains a common wrong answer.
struct LessonMistake {
  /// An expression over the facts and `given`.
  std::string when;
  std::string text;
};

/// A block `question`. Its answer is an expression over what the program counts now, see facts.hpp.
struct LessonQuestion {
  /// Unique in the lesson.
  std::string id;
  std::string ask;
  std::string answer;
  /// Behind the number; "" for none.
  std::string unit;
  /// Relative: 0.05 takes answers within 5%.
  double tolerance = 0;
  /// Texts of which one is right: the answer is its place, counted from 1. Empty for a question for a number.
  std::vector<std::string> choices;
  std::string hint;
  std::vector<LessonMistake> wrong;
  /// An expression for an answer that must be judged wrong, for `tilescope lesson check`.
  std::string sample_wrong;
  /// Configurations that the facts are counted for, by the prefix of their names: "a" for a_memory_barriers,
  /// "" for names without a prefix.
  std::map<std::string, LessonConfiguration> of;
  /// Uses the current sliders; `of` is the lesson's configuration, used by `lesson check`.
  bool is_of_sliders = false;
  /// A latency is asked for: the point is measured, not only interpreted.
  bool is_measured = false;
  /// The checkers for races and other faults run, too.
  bool runs_checkers = false;
};

/// A text of an exhibit's file, which is replaced wherever it stands: by one text in a specimen that has the fault, by
/// another in one that has not.
struct SpecimenEdit {
  std::string text, faulty, sound;
};

/// A block `museum`: an exhibit whose fault is planted at random, and which is found and repaired (specimen.hpp).
struct LessonMuseum {
  /// Unique in the lesson.
  std::string id;
  /// Without FAULT.
  LessonConfiguration configuration;
  std::vector<SpecimenEdit> edits;
  /// A repaired kernel must count as the sound one does; without it, it may also need less.
  bool is_exact = false;
};

/// A block that cannot be used.
struct LessonProblem {
  std::string reason;
};

struct LessonHeading {
  int level = 1;
  LessonText text;
};
struct LessonParagraph {
  LessonText text;
};
struct LessonItem {
  /// 0 for items of an outer list.
  int depth = 0;
  /// From 1; 0 for a bullet.
  int number = 0;
  LessonText text;
};
struct LessonList {
  std::vector<LessonItem> items;
};
struct LessonTable {
  std::vector<LessonText> header;
  std::vector<std::vector<LessonText>> rows;
};
struct LessonCode {
  std::string text;
};

struct LessonElement {
  /// In the file, from 1.
  std::size_t line = 0;
  std::variant<LessonParagraph, LessonHeading, LessonList, LessonTable, LessonCode, LessonConfigure,
               LessonOpen, LessonStep, LessonQuestion, LessonMuseum, LessonProblem>
      content;
};

struct Lesson {
  /// Its file's name without the ending: "02_what_naive_moves".
  std::string id;
  /// The first heading, or the id without one.
  std::string title;
  std::filesystem::path file;
  std::vector<LessonElement> elements;

  std::vector<const LessonQuestion*> questions() const;
  const LessonQuestion* find_question(const std::string& id) const;
};

/// Reads the text of a lesson. An error in it is an element of kind LessonProblem; the rest is as it should
/// be.
Lesson read_lesson(const std::string& text, const std::filesystem::path& file);
/// Throws UnreadableFile.
Lesson load_lesson(const std::filesystem::path& file);

/// The lessons that ship, and the lessons in the folder that TILESCOPE_LESSONS names: every .md file but README.md and
/// WRITING.md, in the order of their names.
std::vector<std::filesystem::path> lesson_files(const std::filesystem::path& folder);
std::vector<std::filesystem::path> all_lesson_files(const std::filesystem::path& root);

/// A link or an image of a lesson whose target is a file that there is not.
struct BrokenLink {
  std::size_t line = 0;
  std::string target;
};
/// Addresses (https:) are not asked for.
std::vector<BrokenLink> broken_links(const Lesson& lesson);

}  // namespace tilescope
