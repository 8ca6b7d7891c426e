#pragma once

#include <string>

namespace tilescope {

/// Covers what is drawn in the current window so far, so that it is faint, with a note that it belongs to the
/// configuration before. The mouse goes through it.
void draw_outdated_veil(const std::string& note = "Computing the new configuration...");

}  // namespace tilescope
