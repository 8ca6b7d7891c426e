#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// One place of a slider.
struct SliderValue {
  std::string label;
  std::string why_invalid;  ///< "" when it may be taken, else the constraint's sentence.
};

/// What a slider shows.
struct SliderView {
  std::string name;
  std::string help;
  std::vector<SliderValue> values;
  std::size_t current = 0;  ///< values.size() when the value is not one of them.
  std::size_t default_value = 0;
  bool varied = false;  ///< Taken into the sweep.
  /// While the whole configuration is illegal every value may be taken, so that a person can leave it in
  /// steps.
  bool all_allowed = false;
};

/// What the person did with it in this frame.
struct SliderAction {
  std::optional<std::size_t> moved_to;
  bool released = false;  ///< The drag, the click or the key press ended: one step of undo.
  bool toggled_varied = false;
};

/// A slider over the values of a parameter: dragged, clicked on a value, or moved with left and right while
/// it has the keyboard. An illegal value is greyed, says why, and is not taken. Marks "slider.NAME" and
/// "slider.NAME.VALUE" for tests.
SliderAction parameter_slider(const SliderView& slider);

}  // namespace tilescope
