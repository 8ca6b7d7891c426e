#pragma once

#include <functional>
#include <map>
#include <string>

#include "profiler/explanation/lessons/facts.hpp"
#include "profiler/explanation/lessons/lesson.hpp"

namespace tilescope {

/// Outcome of an answer.
struct LessonVerdict {
  enum class Kind {
    right,
    wrong,
    /// The facts for it are not to be had here.
    unknown,
  };
  Kind kind = Kind::unknown;
  /// In sentences.
  std::string text;

  bool operator==(const LessonVerdict&) const = default;
};

/// Why a point cannot answer a question: a sentence, "" when it can. The counts of an incorrect kernel are as real as a
/// correct one's.
std::string why_no_facts(const LessonQuestion& question, const Measurement& point);

/// The facts of a question: `points` has one for each entry of `question.of`, by its name.
Facts facts_of(const LessonQuestion& question, const std::map<std::string, Measurement>& points);

/// The right answer. Throws NotKnownHere or ExpressionError; also where it is not finite.
double right_answer(const LessonQuestion& question, const Facts& facts);
/// Evaluates LessonQuestion::sample_wrong, and throws like right_answer.
double wrong_answer(const LessonQuestion& question, const Facts& facts);

/// Judges an answer. A question of which an expression fails is not known here, with the reason.
LessonVerdict judge(const LessonQuestion& question, const Facts& facts, double given);

/// "100,992 sectors", or the choice with that number.
std::string answer_words(const LessonQuestion& question, double answer);

/// Reads what the user typed: "100 992", "1,024", "0.5". Nothing where it is not a number. Behind it may stand `unit`,
/// and KiB and the like where the unit is "bytes".
std::optional<double> number_from(const std::string& text, const std::string& unit = "");

}  // namespace tilescope
