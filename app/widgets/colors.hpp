#pragma once

#include <imgui.h>

#include "app/gui/theme.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The theme's colours by meaning. Nothing is shown by colour alone: markers and texts show it too.
ImVec4 color_of(LatencyKind kind);
ImVec4 color_of(Limiter limiter);
/// Green for correct, red for errors of the kernel, amber for errors of this machine.
ImVec4 color_of(Status status);

/// For tracks, hatching and frames: between the border's colour and muted text.
ImVec4 faint_color();

ImU32 to_u32(const ImVec4& color);

}  // namespace tilescope
