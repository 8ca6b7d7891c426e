#include "app/widgets/colors.hpp"

namespace tilescope {

ImVec4 color_of(LatencyKind kind) {
  return kind == LatencyKind::measured ? palette().measured : palette().recorded;
}

ImVec4 color_of(Limiter limiter) {
  return palette().series[static_cast<std::size_t>(limiter)];
}

ImVec4 color_of(Status status) {
  if (status == Status::ok) return palette().ok;
  return is_about_the_kernel(status) ? palette().error : palette().warning;
}

ImVec4 faint_color() {
  return wash(palette().muted, faint_opacity);
}

ImU32 to_u32(const ImVec4& color) {
  return ImGui::ColorConvertFloat4ToU32(color);
}

}  // namespace tilescope
