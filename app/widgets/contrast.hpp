#pragma once

#include <imgui.h>

namespace tilescope {

/// Relative luminance of an opaque sRGB color, 0 to 1 (WCAG 2.2, "relative luminance", with the transfer function and
/// the primaries of IEC 61966-2-1).
double relative_luminance(const ImVec4& color);

/// 1 to 21 (WCAG 2.2, "contrast ratio"): at least 4.5 for text (success criterion 1.4.3), 3 for marks and controls
/// (1.4.11).
double contrast_ratio(const ImVec4& a, const ImVec4& b);

/// A translucent color over an opaque one, mixed in sRGB as the window's renderer does.
ImVec4 blend(const ImVec4& over, const ImVec4& under);

/// The better readable of black and white: at least 4.58 on any color.
ImVec4 black_or_white_on(const ImVec4& background);

/// An sRGB channel as linear light, both 0 to 1 (IEC 61966-2-1).
double linear_of(double channel);

}  // namespace tilescope
