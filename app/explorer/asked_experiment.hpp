#pragma once

#include <string>

#include "sessions/experiment.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

class Board;

/// The inputs of a request for the configuration under the sliders; an answer to other inputs is dropped.
struct AskedExperiment {
  Experiment experiment;
  /// The hash of the kernel's source; "" where no file is watched.
  std::string source;

  bool operator==(const AskedExperiment&) const = default;
};
AskedExperiment under_sliders(const Board& board);
/// An experiment that is complete, with its kernel's source as it is now.
AskedExperiment as_asked(const Board& board, Experiment experiment);

/// A heading and a sentence for a panel that has nothing to draw: what is missing and how to get it.
struct MissingAnswer {
  std::string heading, text;
  /// Whether the same request may be answered if it is made again.
  bool can_retry = false;

  bool operator==(const MissingAnswer&) const = default;
};
/// Why the kernel under the sliders cannot be interpreted as it is; empty texts where it can be.
MissingAnswer why_not_interpreted(const Board& board);
/// For an answer that is not `ok`.
MissingAnswer why_failed(const std::string& what, Status status, const std::string& reason);

}  // namespace tilescope
