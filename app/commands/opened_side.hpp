#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/commands/compared_side.hpp"
#include "app/commands/opening.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// Whether a side of `compare` is a file that declares no kernel, whose launch is found out as `open` does.
bool is_opened(const ComparedSide& side, const Catalogue& catalogue);

/// A kernel of a file, launched and executed.
struct OpenedSide {
  /// Its kernel is the side's file, with the entry's name where the file has several.
  Measurement point;
  SourceFile source;
  /// Formulas that outputs equal, which were offered and not chosen, by output.
  std::map<std::string, std::string> equal_formulas;
};

/// Opens a side with its settings as values in the place of guesses; "entry" chooses the kernel. Throws as
/// refuse_unopened().
OpenedSide open_side(Client& client, const ComparedSide& side, const OpeningOptions& options,
                     const Experiment& conditions, std::chrono::milliseconds time_limit);

/// Sentences on the recognised results of two unchecked sides: both equal a formula, or one alone.
std::vector<std::string> result_remarks(const OpenedSide& a, const OpenedSide& b);

}  // namespace tilescope
