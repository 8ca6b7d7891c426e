#pragma once

#include <string>

namespace tilescope {

enum class StepIcon { first, previous, play, pause, next, last };

/// A square button with the usual sign of a player. The landmark is its id. Returns whether it was pressed.
bool step_button(const std::string& id, StepIcon icon, const std::string& help, bool enabled = true);

}  // namespace tilescope
