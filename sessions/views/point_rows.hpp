#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sessions/views/point_index.hpp"

namespace tilescope {

/// What a column of the table of points shows.
enum class Figure {
  rank,
  status,
  kernel,
  shape,
  device,
  parameter,
  p50,
  spread,
  cold_p50,
  tflops,
  kind,
  occupancy,
  limiter,
  bank_conflicts,
  registers,
  shared,
  spills,
  error,
  time,
  source,
  sass,
};

/// One column: its header has the unit.
struct PointColumn {
  Figure figure = Figure::status;
  std::string header;
  std::string help;
  std::string parameter;   ///< Of Figure::parameter.
  bool shown = true;       ///< At first.
  bool is_number = false;  ///< Set right, so that digits align.
  std::string widest;      ///< A text as wide as those that the column usually has.
};

/// The columns of a table whose parameters are those of one kernel. Where points of several kernels are listed their name
/// comes first, else it is far to the right.
std::vector<PointColumn> point_columns(const std::vector<ParameterChoices>& parameters,
                                       bool several_kernels = false);

struct PointRow {
  std::shared_ptr<const Measurement> point;
  bool recorded = false;
  std::uint32_t rank =
      0;  ///< From 1 among right results of one shape, device, kind, operations and age of source by
          ///< p50; 0 for no rank.
  std::string searchable;  ///< Lower case: kernel, configuration, shape, device, status.
  bool older_source =
      false;  ///< Compiled from another source than the kernel has now; false of recorded ones.
};

/// Which rows are shown.
struct PointFilter {
  std::string text;              ///< Words that all must occur, in any case.
  std::optional<Status> status;  ///< Nothing: all of them.
  bool recorded = true;          ///< Whether recorded points are listed.

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
  CurrentSources sources_;  ///< As the rows were judged.
  bool has_latency_ = false;
  bool has_older_source_ = false;
  bool several_kernels_ = false;
  std::size_t session_count_ = 0;
  std::size_t recorded_count_ = 0;
  const Measurement* first_session_ = nullptr;
  const Measurement* first_recorded_ = nullptr;
};

/// The text of a cell; "" for a figure that the point does not have.
std::string cell_text(const PointRow& row, const PointColumn& column);

}  // namespace tilescope
