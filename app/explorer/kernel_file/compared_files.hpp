#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/board.hpp"
#include "app/explorer/compare/side_choice.hpp"
#include "profiler/service/client/point_store.hpp"
#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/open_file.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// Points of opened files that were made sides of the comparison, and their sources.
class ComparedFiles {
 public:
  explicit ComparedFiles(Board& board) : board_(board) {}

  /// Makes the point a side. `file`: its name without a folder; `chosen`: values in the place of guesses.
  /// `subject`: what its machine code is listed from, none where that is not known.
  void choose(Side side, const OpenedPoint& point, const std::string& file,
              const std::map<std::string, std::string>& chosen, const SourceFile& source,
              std::optional<ChosenFile> subject);
  /// By the hash of a point's source; nullptr where no such point was compared.
  const SourceFile* find_source(const std::string& sha256) const;
  /// The file of a side's point; nullptr for another point.
  const ChosenFile* find_file(const SharedMeasurement& point) const;

 private:
  Board& board_;
  std::map<std::string, SourceFile> sources_;
  /// The points that were made sides last, with their files.
  std::vector<std::pair<SharedMeasurement, ChosenFile>> files_;
};

}  // namespace tilescope
