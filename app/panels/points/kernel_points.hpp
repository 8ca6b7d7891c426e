#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/point_index.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

std::vector<ParameterChoices> choices_of(const KernelDeclaration& kernel);

/// The chosen configuration with the named parameters free.
Slice slice_under_sliders(const Explorer& explorer, std::vector<std::string> free, bool all_configurations);

/// A panel's index of the chosen kernel's points, renewed when the explorer's points or its kernel change.
class KernelPoints {
 public:
  /// Returns whether the index changed.
  bool update(Explorer& explorer);

  const PointIndex& index() const { return index_; }
  const std::vector<ParameterChoices>& parameters() const { return parameters_; }
  const SharedMeasurement& point(std::uint32_t entry) const { return index_.entries()[entry].point; }
  bool is_of_older_source(std::uint32_t entry) const { return index_.entries()[entry].older_source; }
  bool is_recorded(std::uint32_t entry) const {
    return index_.entries()[entry].kind == LatencyKind::recorded;
  }

 private:
  PointIndex index_;
  std::vector<ParameterChoices> parameters_;
};

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
