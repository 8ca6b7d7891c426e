#pragma once

#include <imgui.h>

namespace tilescope {

/// The button that Enter means, in the accent's colour. Returns whether it was clicked.
bool accent_button(const char* label, const ImVec2& size);

}  // namespace tilescope
