#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiler/explanation/lessons/question.hpp"
#include "profiler/explanation/lessons/specimen.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {

class Board;
class BlockStepping;
class MemoryFocus;
class ShownPoint;

/// The specimens of the museum that were planted, each a file of its own among the user's data, and what was found.
class Museum {
 public:
  struct Specimen {
    bool is_faulty = false;
    std::filesystem::path file;
    /// As typed: "57" or "57-59", and what is to stand there.
    std::string lines, replacement;
    /// Outcome of the last edit of the lines, in a sentence.
    std::string note;
    bool has_changed = false;
    bool is_running = false;
    std::optional<LessonVerdict> verdict;
  };

  explicit Museum(Board& board);

  /// nullptr before one is planted.
  Specimen* find(const LessonMuseum& block);

  /// Writes a specimen with the fault or, as chance decides, without it, and puts it under the sliders.
  void plant(const LessonMuseum& block);
  void plant(const LessonMuseum& block, bool is_faulty);
  /// Puts the present text of the named lines into the replacement.
  static void show_lines(Specimen& specimen);
  /// Writes the replacement into the specimen's file.
  void replace_lines(Specimen& specimen) const;
  /// Runs the file as it is now, and the exhibit without its fault beside it.
  void run_repair(const LessonMuseum& block);
  /// Judges the answer that nothing is wrong.
  void say_sound(const LessonMuseum& block);

 private:
  std::filesystem::path new_file() const;
  CountKernel::Params run_of(LessonConfiguration configuration, const std::string& kernel) const;
  void run_sound(const LessonMuseum& block, Measurement repaired);
  static void take(Specimen& specimen, const LessonMuseum& block, const Measurement& repaired,
                   const Measurement& sound);

  const Board& board_;
  BlockStepping& stepping_;
  MemoryFocus& focus_;
  ShownPoint& shown_;
  /// By the kernel and the id of the block.
  std::map<std::pair<std::string, std::string>, Specimen> specimens_;
  NewestRequests::Handle request_;
};

}  // namespace tilescope
