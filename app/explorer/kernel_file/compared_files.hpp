#pragma once

#include <map>
#include <string>

#include "app/explorer/board.hpp"
#include "app/explorer/compare/side_choice.hpp"
#include "profiler/service/requests/open_file.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// Points of opened files that were made sides of the comparison, and their sources.
class ComparedFiles {
 public:
  explicit ComparedFiles(Board& board) : board_(board) {}

  /// Makes the point a side. `file`: its name without a folder; `chosen`: values in the place of guesses.
  void choose(Side side, const OpenedPoint& point, const std::string& file,
              const std::map<std::string, std::string>& chosen, const SourceFile& source);
  /// By the hash of a point's source; nullptr where no such point was compared.
  const SourceFile* find_source(const std::string& sha256) const;

 private:
  Board& board_;
  std::map<std::string, SourceFile> sources_;
};

}  // namespace tilescope
