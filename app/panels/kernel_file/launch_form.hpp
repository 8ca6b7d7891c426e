#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/kernel_file/launch_rows.hpp"

namespace tilescope {

/// A form of a launch: a field for each part, with how the value came to be. Enter, or leaving a field, takes what was
/// typed.
class LaunchForm {
 public:
  /// A value that the user gave to a part; "" goes back to the guess, or to the value in the source.
  struct Change {
    std::string what, value;
  };

  /// Marks "kernel_file.value.WHAT", "kernel_file.reset.WHAT"; of a constant also "kernel_file.proposals.WHAT" and, once
  /// they are open, "kernel_file.proposal.WHAT.VALUE".
  std::optional<Change> draw(const std::vector<LaunchRow>& rows);

 private:
  std::optional<Change> draw_row(const LaunchRow& row);
  std::optional<Change> draw_field(const LaunchRow& row);
  static std::optional<Change> draw_proposals(const LaunchRow& row);

  /// Texts under edit, by LaunchRow::what.
  std::map<std::string, std::string> drafts_;
  std::string edited_;
};

}  // namespace tilescope
