#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// One value of a parameter.
struct SliderValue {
  std::string value;
  /// "" when valid, else the constraint's text.
  std::string why_invalid;
  /// Text shown instead of `value`; "" for the value itself.
  std::string label = {};
  /// Whether a sweep over the parameter goes through it.
  bool in_sweep = true;

  const std::string& shown() const { return label.empty() ? value : label; }
};

/// A parameter with its values.
struct SliderView {
  std::string name;
  std::string help;
  std::vector<SliderValue> values;
  /// values.size() when the value is not one of them.
  std::size_t current = 0;
  std::size_t default_value = 0;
  /// Segmented buttons in the place of a slider: for names and switches, which have no order.
  bool segmented = false;
  /// Part of the sweep.
  bool swept = false;
  /// While the whole configuration is invalid every value may be chosen, so that a user can leave it in steps.
  bool all_allowed = false;
};

/// The user's choice of what a sweep goes through.
struct SweepAction {
  /// The parameter joins the sweep, or leaves it.
  bool toggled = false;
  std::optional<std::size_t> toggled_value;
  bool all_values = false;
  bool no_value = false;
};

/// The user's action in this frame.
struct SliderAction {
  std::optional<std::size_t> moved_to;
  /// The drag, the click or the key press ended: one step of undo.
  bool released = false;
  SweepAction sweep;
};

/// The values of a parameter on a slider, or as segmented buttons: dragged, clicked on a value, or moved with left and
/// right while it has the keyboard focus. An invalid value is crossed out, has a tooltip with the reason, and cannot be
/// chosen. Beside the name are the pills of the sweep. Marks "slider.NAME" and "slider.NAME.VALUE" for tests.
SliderAction parameter_slider(const SliderView& slider);

/// The slider alone, without name, pills and segments, for a row that has the name already.
SliderAction value_slider(const SliderView& slider);

}  // namespace tilescope
