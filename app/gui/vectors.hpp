#pragma once

#include <imgui.h>

namespace tilescope {

// Not ImGui's own operators: those must be enabled before its first inclusion, which a united build cannot promise.
inline ImVec2 operator+(ImVec2 a, ImVec2 b) {
  return {a.x + b.x, a.y + b.y};
}
inline ImVec2 operator-(ImVec2 a, ImVec2 b) {
  return {a.x - b.x, a.y - b.y};
}
inline ImVec2 operator*(ImVec2 a, float factor) {
  return {a.x * factor, a.y * factor};
}
inline float dot(ImVec2 a, ImVec2 b) {
  return a.x * b.x + a.y * b.y;
}

}  // namespace tilescope
