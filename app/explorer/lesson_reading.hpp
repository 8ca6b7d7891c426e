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

#include "app/explorer/museum.hpp"
#include "profiler/lessons/lesson.hpp"
#include "profiler/lessons/question.hpp"

namespace tilescope {

class Explorer;

/// The lessons, which of them is read, and what was answered.
class LessonReading {
 public:
  /// A question as a person left it.
  struct Answer {
    /// As typed.
    std::string text;
    /// Of the choices, from 0.
    std::optional<std::size_t> choice;
    std::optional<LessonVerdict> verdict;
    bool shows_hint = false;
  };

  /// Reads the lessons at the first call.
  const std::vector<Lesson>& lessons(const Explorer& explorer);
  /// nullptr where there are none.
  const Lesson* current(const Explorer& explorer);
  void choose(const std::string& id) { chosen_ = id; }

  /// Of the lesson that is read.
  Answer& answer(const LessonQuestion& question) { return answers_[{chosen_, question.id}]; }
  /// Makes the points that the question is about and judges what was typed or chosen.
  void check(Explorer& explorer, const LessonQuestion& question);
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

  Museum& museum() { return museum_; }

  /// What the blocks of a lesson do.
  static void configure(Explorer& explorer, const LessonConfigure& block);
  static void open(Explorer& explorer, const LessonOpen& block);
  static void step(Explorer& explorer, const LessonStep& block);

  /// What is kept from one start to the next: the lesson that is read, and what is done.
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
  void ask_next(Explorer& explorer, std::shared_ptr<Checking> checking);
  void take(Explorer& explorer, const std::shared_ptr<Checking>& checking, Measurement point);
  void end(const Checking& checking, LessonVerdict verdict);

  bool is_read_ = false;
  std::vector<Lesson> lessons_;
  std::string chosen_;
  std::map<std::pair<std::string, std::string>, Answer> answers_;
  std::set<std::pair<std::string, std::string>> done_;
  std::string checking_;
  Museum museum_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
