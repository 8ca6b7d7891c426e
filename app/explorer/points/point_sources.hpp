#pragma once

#include <map>
#include <optional>
#include <string>

#include "sessions/measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

class Board;

/// Sources that points were compiled from: of the open session, of recorded sessions, or from the compiler's
/// store and the kernel's file. Each file is read once.
class PointSources {
 public:
  explicit PointSources(const Board& board) : board_(board) {}

  /// nullptr if no copy of the source is left: the point's lines cannot be shown.
  const SourceFile* find(const Measurement& point);

 private:
  const Board& board_;
  std::map<std::string, std::optional<SourceFile>> read_;
};

}  // namespace tilescope
