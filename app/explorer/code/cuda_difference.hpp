#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/compare/side_source.hpp"
#include "app/explorer/points/point_sources.hpp"

namespace tilescope {

/// Two CUDA sources, line by line: of side A of the comparison on the left, of side B on the right.
struct ComparedSources {
  std::array<SideSource, 2> sides;
  /// Empty where a side has no source.
  SourceDiff diff;
  /// Characters of the longest line.
  std::size_t longest = 0;

  const SideSource& side(Side of) const { return sides[index_of(of)]; }
  bool has_both() const { return sides[0].compiled && sides[1].compiled; }
};

/// The difference of the CUDA sources, read and compared in the background; the newest wins. No worker is needed.
class CudaDifference {
 public:
  explicit CudaDifference(Board& board);

  /// A panel that shows the difference says so in every frame.
  void want();
  /// nullptr before the first, and where a side is not chosen; the former one stays while a newer is made.
  const std::shared_ptr<const ComparedSources>& sources() const { return sources_; }
  /// A line of a side's own file was clicked elsewhere: the panel goes to it.
  void go_to(Side side, std::int64_t line) { clicked_ = ClickedLine{side, line}; }
  /// The row of the line that was clicked, once its sources are there.
  std::optional<std::size_t> take_clicked_row();
  /// Whether a newer one is being made.
  bool waits() const { return task_.runs(); }
  std::string activity() const { return waits() ? "comparing the sources" : ""; }
  /// Counts up whenever sources() changes.
  std::uint64_t revision() const { return revision_; }

 private:
  /// Inputs whose change may change the wanted sources.
  struct Asked {
    std::array<SideChoice, 2> choices;
    std::array<Experiment, 2> experiments;
    std::uint64_t kernels = 0, points = 0;
    bool operator==(const Asked&) const = default;
  };
  struct ClickedLine {
    Side side = Side::a;
    std::int64_t line = 0;
  };
  WantedSource wanted(Side side);
  void end(std::shared_ptr<const ComparedSources> sources);

  const Board& board_;
  const ComparisonPair& pair_;
  PointSources point_sources_;
  std::shared_ptr<const ComparedSources> sources_;
  Asked asked_;
  /// Inputs of sources_, or of the running task.
  std::optional<std::array<WantedSource, 2>> wanted_;
  std::uint64_t revision_ = 0;
  std::optional<ClickedLine> clicked_;
  NewestTask task_;
};

}  // namespace tilescope
