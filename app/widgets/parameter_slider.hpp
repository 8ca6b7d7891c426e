#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// One place of a slider.
struct SliderValue {
  std::string label;
  /// "" when valid, else the constraint's text.
  std::string why_invalid;
};

/// The contents of a slider.
struct SliderView {
  std::string name;
  std::string help;
  std::vector<SliderValue> values;
  /// values.size() when the value is not one of them.
  std::size_t current = 0;
  std::size_t default_value = 0;
  /// Part of the sweep.
  bool varied = false;
  /// While the whole configuration is invalid every value may be chosen, so that a user can leave it in steps.
  bool all_allowed = false;
};

/// The user's action in this frame.
struct SliderAction {
  std::optional<std::size_t> moved_to;
  /// The drag, the click or the key press ended: one step of undo.
  bool released = false;
  bool toggled_varied = false;
};

/// A slider over the values of a parameter: dragged, clicked on a value, or moved with left and right while it has the
/// keyboard focus. An invalid value is grey, has a tooltip with the reason, and cannot be chosen. Marks "slider.NAME"
/// and "slider.NAME.VALUE" for tests.
SliderAction parameter_slider(const SliderView& slider);

}  // namespace tilescope
