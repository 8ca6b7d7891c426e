#pragma once

#include <imgui.h>

#include <string>

namespace tilescope {

/// During its lifetime windows begin with draw lists without antialiasing, whose shapes have exact corners: what SVG
/// needs. Between ImGui::NewFrame and ImGui::Render.
class ExactShapes {
 public:
  ExactShapes();
  ~ExactShapes();
  ExactShapes(const ExactShapes&) = delete;
  ExactShapes& operator=(const ExactShapes&) = delete;

 private:
  int flags_;
};

/// Converts ImGui's draw data to an SVG document of DisplaySize pixels: shapes as polygons, cut at their clip
/// rectangles, and text as text, which can be selected and searched. The draw lists must have begun with
/// ExactShapes, and the font atlas must be the one of their frame.
std::string to_svg(const ImDrawData& data, const std::string& title, const ImVec4& background);

}  // namespace tilescope
