#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "profiler/lessons/question.hpp"
#include "profiler/lessons/specimen.hpp"

namespace tilescope {

class Explorer;

/// The specimens of the museum that were planted, each a file of its own among the user's data, and what was found.
class Museum {
 public:
  struct Specimen {
    bool is_faulty = false;
    std::filesystem::path file;
    /// As typed: "57" or "57-59", and what is to stand there.
    std::string lines, replacement;
    /// What was done with the lines last, in a sentence.
    std::string note;
    bool has_changed = false;
    bool is_running = false;
    std::optional<LessonVerdict> verdict;
  };

  /// nullptr before one is planted.
  Specimen* find(const LessonMuseum& block);

  /// Writes a specimen with the fault or, as chance decides, without it, and puts it under the sliders.
  void plant(Explorer& explorer, const LessonMuseum& block);
  void plant(Explorer& explorer, const LessonMuseum& block, bool is_faulty);
  /// Puts the present text of the named lines into the replacement.
  static void show_lines(Specimen& specimen);
  /// Writes the replacement into the specimen's file.
  static void replace_lines(Explorer& explorer, Specimen& specimen);
  /// Runs the file as it is now, and the exhibit without its fault beside it.
  void run_repair(Explorer& explorer, const LessonMuseum& block);
  /// Judges the answer that nothing is wrong.
  void say_sound(const LessonMuseum& block);

 private:
  static void take(Specimen& specimen, const LessonMuseum& block, const Measurement& repaired,
                   const Measurement& sound);

  /// By the kernel and the id of the block.
  std::map<std::pair<std::string, std::string>, Specimen> specimens_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
