#pragma once

#include <imgui.h>
#include <implot.h>

#include <string>
#include <vector>

namespace tilescope {

enum class ThemeKind { dark, light };

/// The colours of the window itself. What means something (measured, recorded, wrong, chosen) is coloured by
/// app/widgets/palette.hpp, which the window takes its text and its accent from: there is one palette.
struct Chrome {
  ImVec4 background;  ///< Behind the panels.
  ImVec4 surface;     ///< Of a panel.
  ImVec4 raised;      ///< Of what can be pressed, and of menus.
  ImVec4 hovered;     ///< The same under the mouse.
  ImVec4 border;
  ImVec4 accent_soft;  ///< Behind the text of what is chosen.
};

/// The fonts, as ImGui draws them at any size: ImGui::PushFont(fonts().mono, 0) keeps the size.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;  ///< For figures in columns, code and hashes.
};

const Chrome& chrome();
const Fonts& fonts();
/// One pixel of a 1280 x 720 screen, in pixels of this one: sizes in draw code are multiples of it or of the
/// font's.
float ui_scale();

/// Cividis: even in lightness, and the same to the colour-blind.
ImPlotColormap heat_map_colors();

/// Loads the fonts into the current ImGui context. Returns what is missing, in sentences; ImGui's own font
/// then serves.
std::vector<std::string> load_fonts();
/// Sets colours, sizes and the plots' style in the current ImGui and ImPlot contexts.
void apply_theme(ThemeKind kind, float scale);
ThemeKind current_theme();

}  // namespace tilescope
