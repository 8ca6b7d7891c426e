#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

struct Segment {
  std::string label;
  /// Name of its landmark, for tests.
  std::string landmark;
  /// "" when it can be chosen.
  std::string why_disabled;
};

/// A few named values, of which one is chosen.
struct SegmentedChoice {
  /// Unique in its window.
  std::string id;
  std::vector<Segment> segments;
  /// segments.size() when none is chosen.
  std::size_t current = 0;
  /// Whether disabled segments may be chosen nevertheless.
  bool all_allowed = false;
  /// Disabled segments are struck through: values that are invalid. Else they are dim: there is no room for them now.
  bool strikes_disabled = true;
  /// As wide as the panel, else as wide as its labels.
  bool fills_width = true;
  /// Height of a row, in pixels; 0 for what its text needs.
  float height = 0;
};

struct SegmentedAction {
  /// Chosen in this frame, by a click or with left and right while it has the keyboard focus.
  std::optional<std::size_t> chosen;
  /// Under the mouse.
  std::optional<std::size_t> hovered;
};

/// Draws the segments side by side, in several rows where they do not fit. The caller shows the reason of a disabled
/// one.
SegmentedAction segmented_choice(const SegmentedChoice& choice);

}  // namespace tilescope
