#pragma once

#include <string>

#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

class OpenedFile;

/// Why a file has no point, with a field for what its compiler lacks. Marks "kernel_file.problem", and where they are drawn
/// "kernel_file.include_folder", "kernel_file.definition" and their buttons, "kernel_file.definition.button".
class ProblemPane {
 public:
  /// The problem of an answer.
  void draw(const OpenedFileView& view, OpenedFile& opened);
  /// A file that could not be read, in a sentence.
  static void draw_unread(const std::string& sentence);

 private:
  std::string include_folder_, definition_;
};

}  // namespace tilescope
