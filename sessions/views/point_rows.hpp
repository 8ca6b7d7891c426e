#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/views/point_columns.hpp"
#include "sessions/views/point_index.hpp"

namespace tilescope {

/// Which rows are shown.
struct PointFilter {
  /// Words that all must occur, in any case.
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
  /// Takes what is new, so many points at a time that a frame does not wait for them, and holds all against the sources
  /// as they are now. Returns whether rows changed.
  bool update(const PointList& session, const PointList& recorded, const CurrentSources& sources = {});

  /// False while update() has more to take.
  bool is_complete() const { return complete_; }
  const std::vector<PointRow>& rows() const { return rows_; }
  /// Whether any point has a latency: without one, its columns are better hidden.
  bool has_latency() const { return has_latency_; }
  /// Whether any point is of an older source: without one, its column says nothing.
  bool has_older_source() const { return has_older_source_; }
  /// Whether there are points of more than one kernel.
  bool several_kernels() const { return several_kernels_; }
  /// The rows that pass a filter, those of the session before recorded ones.
  std::vector<std::uint32_t> newest_first(const PointFilter& filter) const;
  /// The rows that pass a filter in the order of a column: indices into rows(). Rows without that figure come
  /// last in either direction, and so do wrong and failed ones for every figure of speed; ties keep the
  /// newest first.
  std::vector<std::uint32_t> ordered(const PointFilter& filter, const PointColumn& column,
                                     bool descending) const;

 private:
  void take(const PointList& list, std::size_t end, std::size_t& count, bool recorded);
  void judge_sources();
  void rank();

  std::vector<PointRow> rows_;
  bool complete_ = true;
  /// As the rows were judged.
  CurrentSources sources_;
  bool has_latency_ = false;
  bool has_older_source_ = false;
  bool several_kernels_ = false;
  std::size_t session_count_ = 0;
  std::size_t recorded_count_ = 0;
  const Measurement* first_session_ = nullptr;
  const Measurement* first_recorded_ = nullptr;
};

}  // namespace tilescope
