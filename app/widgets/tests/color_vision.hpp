#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace tilescope::test_support {

/// A kind of color vision, as a matrix on linear sRGB.
struct ColorVision {
  std::string name;
  double matrix[3][3];
};

/// Normal vision, and the complete absence of each kind of cone: Machado, Oliveira and Fernandes 2009, "A
/// Physiologically-based Model for Simulation of Color Vision Deficiency", table 1, severity 1.0.
const std::vector<ColorVision>& color_visions();

/// How an opaque sRGB color looks to such an eye.
ImVec4 simulate(const ColorVision& vision, const ImVec4& color);

/// CIEDE2000 (CIE 142-2001; equations of Sharma, Wu and Dalal 2005) of two opaque sRGB colors under D65. About 1 is
/// just noticeable side by side; 10 is seen at a glance.
double color_difference(const ImVec4& a, const ImVec4& b);

}  // namespace tilescope::test_support
