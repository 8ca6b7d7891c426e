#pragma once

namespace tilescope {

/// Covers what is drawn in the current window so far, so that it is faint, and says that it is of the configuration
/// before. The mouse goes through it.
void draw_outdated_veil();

}  // namespace tilescope
