#pragma once

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// The foot of the configuration panel: starts the sweep that is chosen, shows how far it is, and what came of it until
/// that is dismissed. Marks "button.sweep", "button.cancel_sweep", "sweep.progress", "sweep.rate", "sweep.summary", "sweep.best" and
/// "sweep.dismiss" for tests.
void draw_sweep_control(Explorer& explorer);

}  // namespace tilescope
