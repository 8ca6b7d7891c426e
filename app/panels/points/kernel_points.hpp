#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/point_index.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

std::vector<ParameterChoices> choices_of(const KernelDeclaration& kernel);

/// The chosen configuration of the kernel under the sliders, with the named parameters free.
Slice slice_under_sliders(const Explorer& explorer, std::vector<std::string> free, bool all_configurations);

/// A panel's index of one kernel's points, renewed when the explorer's points or the kernel change.
class KernelPoints {
 public:
  /// Takes the kernel under the sliders. Returns whether the index changed.
  bool update(Explorer& explorer);
  /// Takes the kernel of the shown point where that is of a file, with the values in which its points differ; else as
  /// update().
  bool update_with_shown(Explorer& explorer);

  /// The shown point of a file; nullptr where the kernel is the one under the sliders.
  const SharedMeasurement& file_point() const { return file_point_; }
  /// The configuration under the sliders, or of the file's point, with the named parameters free.
  Slice slice(const Explorer& explorer, std::vector<std::string> free, bool all_configurations) const;
  /// Arguments of the file's point, which say how much work there is; none for the kernel under the sliders.
  std::vector<std::string> sizes() const;
  /// The chosen device, or the one of the file's point.
  const std::string& device(const Explorer& explorer) const;

  const PointIndex& index() const { return index_; }
  const std::vector<ParameterChoices>& parameters() const { return parameters_; }
  const SharedMeasurement& point(std::uint32_t entry) const { return index_.entries()[entry].point; }
  bool is_of_older_source(std::uint32_t entry) const { return index_.entries()[entry].older_source; }
  bool is_recorded(std::uint32_t entry) const {
    return index_.entries()[entry].kind == LatencyKind::recorded;
  }

 private:
  bool update_with_file(Explorer& explorer);

  PointIndex index_;
  std::vector<ParameterChoices> parameters_;
  SharedMeasurement file_point_;
  /// The kernel of a file that parameters_ are of, and the points' revision at that time.
  std::string file_kernel_;
  std::uint64_t file_revision_ = 0;
  CurrentSources file_source_;
};

/// Shown where the points of a file's kernel cannot be drawn against anything: says how to get such points. Marks
/// "empty_state.button", which shows the panel with the file.
void empty_state_of_file(Explorer& explorer, const std::string& title, const std::string& text);

/// A combo of the kernel's parameters; `chosen` falls back to the first one that is not `other` when the
/// kernel has no such parameter. Returns the chosen axis. Marks `mark` and, in the list, `mark`.NAME for tests.
ValueAxis axis_picker(const char* label, const char* mark, std::string& chosen, const std::string& other,
                      const std::vector<ParameterChoices>& parameters);

/// [px] Width of such a combo with its label.
float axis_picker_width(const char* label);

/// Takes the axis of a plot to a parameter of each sweep when it starts; later the user may choose another one.
class FollowedSweep {
 public:
  void follow(const Explorer& explorer, std::string& axis);

 private:
  std::uint64_t last_ = 0;
};

/// Tooltip of a point that is being made, while the mouse is over its mark or cell.
void draw_partial_tooltip(const PartialPoint& point);

/// Whether the mouse was clicked in place, rather than dragged to pan.
bool clicked_in_place();

}  // namespace tilescope
