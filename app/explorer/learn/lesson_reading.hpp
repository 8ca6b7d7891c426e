#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explanation/lessons/lesson.hpp"
#include "profiler/explanation/lessons/question.hpp"
#include "profiler/service/client/newest_requests.hpp"

namespace tilescope {

class Board;
class BlockStepping;
class MemoryFocus;
class ShownPoint;

/// The lessons, which of them is read, and what was answered.
class LessonReading {
 public:
  explicit LessonReading(Board& board);

  /// The state in which the user left a question.
  struct Answer {
    /// As typed.
    std::string text;
    /// Index of the chosen answer, from 0.
    std::optional<std::size_t> choice;
    std::optional<LessonVerdict> verdict;
    bool shows_hint = false;
  };

  /// Reads the lessons at the first call.
  const std::vector<Lesson>& lessons();
  /// nullptr where there are none.
  const Lesson* current();
  void choose(const std::string& id) { chosen_ = id; }

  /// The user's answer to a question of the current lesson.
  Answer& answer(const LessonQuestion& question) { return answers_[{chosen_, question.id}]; }
  /// Makes the points that the question is about and judges what was typed or chosen.
  void check(const LessonQuestion& question);
  /// Whether the question's points are being made.
  bool is_checking(const LessonQuestion& question) const { return checking_ == question.id; }
  bool is_done(const Lesson& lesson, const LessonQuestion& question) const {
    return done_.contains({lesson.id, question.id});
  }
  /// The piece of the museum that is read was repaired.
  void mark_repaired(const LessonMuseum& block) { done_.insert({chosen_, block.id}); }
  bool is_repaired(const Lesson& lesson) const;
  /// Questions of a lesson that were answered rightly.
  std::size_t done(const Lesson& lesson) const;

  /// Actions of a lesson's blocks.
  void configure(const LessonConfigure& block);
  void open(const LessonOpen& block);
  void step(const LessonStep& block);

  /// State that is kept from one start to the next: the lesson that is read, and the exercises done.
  std::vector<std::string> kept() const;
  void take_kept(const std::string& line);

 private:
  /// Points of a question: those that are there, and those that are still to be made.
  struct Checking {
    LessonQuestion question;
    std::string lesson;
    double given = 0;
    std::vector<std::pair<std::string, Experiment>> wanted;
    std::map<std::string, Measurement> points;
  };
  void ask_next(const std::shared_ptr<Checking>& checking);
  void take(const std::shared_ptr<Checking>& checking, Measurement point);
  void end(const Checking& checking, LessonVerdict verdict);

  const Board& board_;
  BlockStepping& stepping_;
  MemoryFocus& focus_;
  ShownPoint& shown_;
  bool is_read_ = false;
  std::vector<Lesson> lessons_;
  std::string chosen_;
  std::map<std::pair<std::string, std::string>, Answer> answers_;
  std::set<std::pair<std::string, std::string>> done_;
  std::string checking_;
  NewestRequests::Handle request_;
};

}  // namespace tilescope
