#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Something that a checker found, in words, with the lines of the kernel that it is about.
struct Complaint {
  /// "Race"
  std::string title;
  /// With lines, threads and addresses; ends in a full stop.
  std::string sentence;
  /// "First in block (3, 0, 0); 512 occurrences."
  std::string occurrence;
  bool is_fault = true;
  /// In the kernel's own file.
  std::vector<std::int64_t> lines;
};

/// Faults first.
std::vector<Complaint> complaints_of(const std::vector<Finding>& findings);

/// "No findings in all 128 blocks.", "3 findings in 4 of 128 blocks."; without counts "No findings."
std::string check_summary(const Measurement& checked);

/// Whether a note says which faults the checkers looked for, and which not.
bool is_looked_for(const std::string& note);
/// That note of a checked point: "Looked for: races on shared memory, ... Not looked for: ..."; "" for none.
std::string looked_for_words(const Measurement& checked);

}  // namespace tilescope
