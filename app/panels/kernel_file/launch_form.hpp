#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/kernel_file/launch_rows.hpp"

namespace tilescope {

/// A form of a launch, or of the source's constants: a field for each row, with how the value came to be. Enter, or leaving a field, takes what was
/// typed.
class LaunchForm {
 public:
  /// A value that the user gave to a part; "" goes back to the guess, or to the value in the source.
  struct Change {
    std::string what, value;
  };

  /// Marks "kernel_file.value.WHAT", "kernel_file.reset.WHAT"; a constant and a size have a slider of their proposals,
  /// see value_slider().
  std::optional<Change> draw(const std::vector<LaunchRow>& rows, LaunchRow::Kind kind);
  /// Rows of formulas: an output's formula, each over the whole width; below them the kernel to compare with. Marks as above,
  /// "kernel_file.use.WHAT" for a formula that the values equal, "kernel_file.reference", and in its list
  /// "kernel_file.reference.none" and "kernel_file.reference.I" for LaunchRow::proposals[I].
  std::optional<Change> draw_formulas(const std::vector<LaunchRow>& rows);
  /// Rows of kernels that are launched before: a list for each, and what the host code launches with a button that takes all
  /// of it. Marks "kernel_file.use.before", and "kernel_file.before.N" with N from 1, in whose list
  /// "kernel_file.before.N.none" and "kernel_file.before.N.I" for LaunchRow::proposals[I].
  static std::vector<Change> draw_earlier(const std::vector<LaunchRow>& rows);

 private:
  std::optional<Change> draw_row(const LaunchRow& row);
  std::optional<Change> draw_formula(const LaunchRow& row, float width_of_name);
  static std::optional<Change> draw_reference(const LaunchRow& row, float width_of_name);
  /// A list of the file's other kernels. `none`: its first entry, and `choose` what it shows while none is chosen.
  static std::optional<Change> draw_kernels(const LaunchRow& row, const char* none, const char* choose,
                                            const std::string& mark);
  /// A change once the field is left with another text.
  std::optional<Change> draw_text(const LaunchRow& row, const char* hint);
  static std::optional<Change> draw_slider(const LaunchRow& row);
  /// A size's slider and the reason of the guess.
  static std::optional<Change> draw_size(const LaunchRow& row);

  /// Texts under edit, by LaunchRow::what.
  std::map<std::string, std::string> drafts_;
  std::string edited_;
};

}  // namespace tilescope
