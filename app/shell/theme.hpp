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
  /// Behind the panels.
  ImVec4 background;
  /// Background of a panel.
  ImVec4 surface;
  /// Background of buttons and menus.
  ImVec4 raised;
  /// The same under the mouse.
  ImVec4 hovered;
  ImVec4 border;
  ImVec4 text;
  /// Labels and units, secondary text.
  ImVec4 muted;
  /// Selected and draggable items.
  ImVec4 accent;
  /// The same as a background under text.
  ImVec4 accent_soft;
  /// Text on accent.
  ImVec4 accent_text;
  ImVec4 ok, warning, error;
  /// The four kinds of figure, never drawn alike.
  ImVec4 measured, counted, predicted, recorded;
  /// The current configuration's point in plots.
  ImVec4 selection;
  /// For series that are distinguished by name.
  std::array<ImVec4, 7> series;
  /// Cividis: even in lightness, also for the colour-blind.
  ImPlotColormap heat_map = 0;
  ImVec4 heat_map_text_on_dark, heat_map_text_on_light;
};

/// The fonts, which ImGui draws at any size: ImGui::PushFont(fonts().mono, 0) keeps the size.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  /// For figures in columns, code and hashes.
  ImFont* mono = nullptr;
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
