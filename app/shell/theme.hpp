#pragma once

#include <imgui.h>
#include <implot.h>

#include <array>
#include <string>
#include <vector>

namespace tilescope {

enum class ThemeKind { dark, light };

/// All colours. Colours with a meaning also differ in lightness, and can be distinguished with common colour-vision
/// deficiencies (after Okabe and Ito's set). Each kind of figure also has its own marker and line.
struct Palette {
  ImVec4 background;  ///< Behind the panels.
  ImVec4 surface;     ///< Background of a panel.
  ImVec4 raised;      ///< Background of buttons and menus.
  ImVec4 hovered;     ///< The same under the mouse.
  ImVec4 border;
  ImVec4 text;
  ImVec4 muted;        ///< Labels and units, secondary text.
  ImVec4 accent;       ///< Selected and draggable items.
  ImVec4 accent_soft;  ///< The same as a background under text.
  ImVec4 accent_text;  ///< Text on accent.
  ImVec4 ok, warning, error;
  ImVec4 measured, counted, predicted, recorded;  ///< The four kinds of figure, never drawn alike.
  ImVec4 selection;                               ///< The current configuration's point in plots.
  std::array<ImVec4, 7> series;                   ///< For series that are distinguished by name.
  ImPlotColormap heat_map = 0;                    ///< Cividis: even in lightness, also for the colour-blind.
  ImVec4 heat_map_text_on_dark, heat_map_text_on_light;
};

/// The fonts, which ImGui draws at any size: ImGui::PushFont(fonts().mono, 0) keeps the size.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;  ///< For figures in columns, code and hashes.
};

const Palette& palette();
const Fonts& fonts();
/// One pixel of a 1280 x 720 screen, in pixels of this one: sizes in draw code are multiples of it or of the font size.
float ui_scale();

/// `wash(c, 0.2f)`: the colour with its opacity multiplied.
ImVec4 wash(const ImVec4& color, float opacity);

/// Loads the fonts into the current ImGui context. Returns sentences about missing ones, for which ImGui's own font is
/// used.
std::vector<std::string> load_fonts();
/// Sets colours, sizes and the plots' style in the current ImGui and ImPlot contexts.
void apply_theme(ThemeKind kind, float scale);
ThemeKind current_theme();

}  // namespace tilescope
