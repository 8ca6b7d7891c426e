#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/views/points/point_columns.hpp"
#include "sessions/views/points/point_index.hpp"

namespace tilescope {

/// Which rows are shown.
struct PointFilter {
  /// Words that all must occur, in any case. A word with "=" is a whole parameter: "NUM_WARPS=1" is not "NUM_WARPS=16".
  std::string text;
  /// Nothing: all of them.
  std::optional<Status> status;
  /// Whether recorded points are listed.
  bool recorded = true;

  bool operator==(const PointFilter&) const = default;
};

/// The rows of a table. Grows with the lists and starts over when they are not a continuation.
class PointRows {
 public:
  /// Takes new points, a limited number at a time so that a frame does not wait, and holds all against the
  /// sources as they are now. Returns whether rows changed.
  bool update(const PointList& session, const PointList& recorded, const CurrentSources& sources = {});

  /// False while update() has more to take.
  bool is_complete() const { return complete_; }
  const std::vector<PointRow>& rows() const { return rows_; }
  /// Counts up when the rows start over: what was derived from them does too.
  std::uint64_t generation() const { return generation_; }
  /// The number of rows of an older source.
  std::size_t older_rows() const { return older_rows_; }
  /// Every parameter that a point has, with one of its values.
  const Configuration& parameters() const { return parameters_; }
  /// The rows that pass a filter, best first: the session's before recorded ones, each by rank, then by p50.
  /// Points that time a part of attention come after, then points that were not timed by their predicted p50,
  /// and points without a rank last, the newest first.
  std::vector<std::uint32_t> best_first(const PointFilter& filter) const;
  /// The rows that pass a filter, the session's before recorded ones.
  std::vector<std::uint32_t> newest_first(const PointFilter& filter) const;
  /// The rows that pass a filter in the order of a column: indices into rows(). Rows without that figure come
  /// last in either direction, and so do wrong and failed ones for every figure of speed; ties keep the
  /// newest first.
  std::vector<std::uint32_t> ordered(const PointFilter& filter, const PointColumn& column,
                                     bool descending) const;

 private:
  void take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded);
  void judge_sources();
  void rank();

  std::vector<PointRow> rows_;
  bool complete_ = true;
  /// As the rows were judged.
  CurrentSources sources_;
  std::uint64_t generation_ = 0;
  std::size_t older_rows_ = 0;
  Configuration parameters_;
  TakenPoints session_;
  TakenPoints recorded_;
};

}  // namespace tilescope
