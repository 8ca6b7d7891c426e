#pragma once

#include <imgui.h>
#include <implot.h>

#include <array>
#include <string>
#include <vector>

namespace tilescope {

enum class ThemeKind { dark, light };

/// All colours. The colours of a set (states, kinds of figure, series) can be distinguished with protanopia,
/// deuteranopia and tritanopia, and texts and marks have the contrast that WCAG 2.2 asks for:
/// app/widgets/tests/palette_test.cpp computes both. Each kind of figure also has its own marker and line.
struct Palette {
  /// Behind the panels.
  ImVec4 background;
  /// Background of a panel.
  ImVec4 surface;
  /// Background of buttons and menus.
  ImVec4 raised;
  /// The surface's colour under the mouse.
  ImVec4 hovered;
  /// Between panels and cells: decoration.
  ImVec4 border;
  /// Outline of controls: where they begin and end.
  ImVec4 outline;
  /// Background of a plot.
  ImVec4 plot;
  /// Background of every second row of a table.
  ImVec4 stripe;
  ImVec4 text;
  /// Labels and units, secondary text.
  ImVec4 muted;
  /// Selected and draggable items.
  ImVec4 accent;
  /// The accent as a background under text.
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
};

/// Opacity of lines that join marks.
inline constexpr float joining_opacity = 0.8F;
/// Opacity of elements fainter than muted text: tracks, hatching, outlines of empty cells.
inline constexpr float faint_opacity = 0.7F;
/// Opacity of a colour behind text of the same colour: boxes, failed cells.
inline constexpr float tint_opacity = 0.1F;

/// The fonts, which ImGui draws at any size: ImGui::PushFont(fonts().mono, 0) keeps the size.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  /// For figures in columns, code and hashes.
  ImFont* mono = nullptr;
};

/// Without the heat map, which needs ImPlot's context.
Palette palette_of(ThemeKind kind);
/// Palette of the current theme.
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
