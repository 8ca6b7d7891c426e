#include "app/gui/theme.hpp"

#include <array>
#include <cstdint>

namespace tilescope {

namespace {

ImVec4 rgb(std::uint32_t hex) {
  const auto channel = [hex](int shift) { return static_cast<float>((hex >> shift) & 0xffU) / 255.0F; };
  return {channel(16), channel(8), channel(0), 1.0F};
}

Palette dark_palette() {
  Palette p;
  p.background = rgb(0x0f1216);
  p.surface = rgb(0x181c22);
  p.raised = rgb(0x262c36);
  p.hovered = rgb(0x303743);
  p.border = rgb(0x2c333d);
  p.outline = rgb(0x737f8f);
  p.plot = rgb(0x14181d);
  p.stripe = rgb(0x1d2229);
  p.text = rgb(0xe7ebf1);
  p.muted = rgb(0x9ca8b8);
  p.accent = rgb(0x4f9ee8);
  p.accent_soft = rgb(0x1d3c5c);
  p.accent_text = rgb(0x0b1016);
  p.ok = rgb(0x31c09a);
  p.warning = rgb(0xffb507);
  p.error = rgb(0xff8062);
  p.measured = rgb(0x45bdff);
  p.counted = rgb(0x2aab7c);
  p.predicted = rgb(0xf2b0d0);
  p.recorded = rgb(0x8f9aa8);
  p.selection = rgb(0xf5c64b);
  p.series = {rgb(0x4abefe), rgb(0xe89f00), rgb(0x2daf81), rgb(0xc685a6),
              rgb(0xf0e442), rgb(0xf06c57), rgb(0xb1bfd3)};
  return p;
}

Palette light_palette() {
  Palette p;
  p.background = rgb(0xe6eaef);
  p.surface = rgb(0xfcfdfe);
  p.raised = rgb(0xeaeef3);
  p.hovered = rgb(0xdde4ed);
  p.border = rgb(0xcfd6e0);
  p.outline = rgb(0x808a98);
  p.plot = rgb(0xf2f5f8);
  p.stripe = rgb(0xf6f8fa);
  p.text = rgb(0x18202b);
  p.muted = rgb(0x556172);
  p.accent = rgb(0x1565b3);
  p.accent_soft = rgb(0xd3e5f8);
  p.accent_text = rgb(0xffffff);
  p.ok = rgb(0x00705a);
  p.warning = rgb(0x855c00);
  p.error = rgb(0xb5154b);
  p.measured = rgb(0x0069c0);
  p.counted = rgb(0x046a4b);
  p.predicted = rgb(0xa54680);
  p.recorded = rgb(0x4b5057);
  p.selection = rgb(0xb45f00);
  p.series = {rgb(0x0376bd), rgb(0xb16000), rgb(0x166a59), rgb(0x9a4686),
              rgb(0x79724c), rgb(0xa23117), rgb(0x3e4e5c)};
  return p;
}

/// Even steps of cividis (Nunez, Anderton and Renslow 2018, "Optimizing colormaps with consideration for
/// color vision deficiency to enable accurate interpretation of scientific data").
ImPlotColormap heat_map_colors() {
  static constexpr const char* name = "Cividis";
  const ImPlotColormap known = ImPlot::GetColormapIndex(name);
  if (known != -1) return known;
  const std::array<ImVec4, 9> steps = {rgb(0x00224e), rgb(0x123570), rgb(0x3b496c),
                                       rgb(0x575d6d), rgb(0x707173), rgb(0x8a8678),
                                       rgb(0xa59c74), rgb(0xc3b369), rgb(0xfee838)};
  return ImPlot::AddColormap(name, steps.data(), static_cast<int>(steps.size()), false);
}

struct Theme {
  ThemeKind kind = ThemeKind::dark;
  Palette palette = palette_of(ThemeKind::dark);
  float scale = 1;
};

/// Belongs to the only window of the process, like ImGui's context.
Theme& theme() {
  static Theme instance;
  return instance;
}

void set_imgui_colors(const Palette& p) {
  ImVec4* colors = ImGui::GetStyle().Colors;
  const ImVec4 none(0, 0, 0, 0);
  colors[ImGuiCol_Text] = p.text;
  colors[ImGuiCol_TextDisabled] = p.muted;
  colors[ImGuiCol_WindowBg] = p.surface;
  colors[ImGuiCol_ChildBg] = none;
  colors[ImGuiCol_PopupBg] = p.raised;
  colors[ImGuiCol_Border] = p.outline;
  colors[ImGuiCol_BorderShadow] = none;
  colors[ImGuiCol_FrameBg] = p.raised;
  colors[ImGuiCol_FrameBgHovered] = p.hovered;
  colors[ImGuiCol_FrameBgActive] = p.hovered;
  colors[ImGuiCol_TitleBg] = p.background;
  colors[ImGuiCol_TitleBgActive] = p.background;
  colors[ImGuiCol_TitleBgCollapsed] = p.background;
  colors[ImGuiCol_MenuBarBg] = p.background;
  colors[ImGuiCol_ScrollbarBg] = none;
  colors[ImGuiCol_ScrollbarGrab] = p.outline;
  colors[ImGuiCol_ScrollbarGrabHovered] = p.muted;
  colors[ImGuiCol_ScrollbarGrabActive] = p.muted;
  colors[ImGuiCol_CheckMark] = p.accent;
  colors[ImGuiCol_CheckboxSelectedBg] = p.accent_soft;
  colors[ImGuiCol_SliderGrab] = p.accent;
  colors[ImGuiCol_SliderGrabActive] = p.accent;
  colors[ImGuiCol_Button] = p.raised;
  colors[ImGuiCol_ButtonHovered] = p.hovered;
  colors[ImGuiCol_ButtonActive] = p.accent_soft;
  colors[ImGuiCol_Header] = p.accent_soft;
  colors[ImGuiCol_HeaderHovered] = p.hovered;
  colors[ImGuiCol_HeaderActive] = p.accent_soft;
  colors[ImGuiCol_Separator] = p.border;
  colors[ImGuiCol_SeparatorHovered] = p.accent;
  colors[ImGuiCol_SeparatorActive] = p.accent;
  colors[ImGuiCol_ResizeGrip] = none;
  colors[ImGuiCol_ResizeGripHovered] = p.hovered;
  colors[ImGuiCol_ResizeGripActive] = p.accent;
  colors[ImGuiCol_InputTextCursor] = p.text;
  colors[ImGuiCol_TabHovered] = p.hovered;
  colors[ImGuiCol_Tab] = p.background;
  colors[ImGuiCol_TabSelected] = p.surface;
  colors[ImGuiCol_TabSelectedOverline] = p.accent;
  colors[ImGuiCol_TabDimmed] = p.background;
  colors[ImGuiCol_TabDimmedSelected] = p.surface;
  colors[ImGuiCol_TabDimmedSelectedOverline] = p.border;
  colors[ImGuiCol_DockingPreview] = wash(p.accent, 0.5F);
  colors[ImGuiCol_DockingEmptyBg] = p.background;
  colors[ImGuiCol_PlotLines] = p.measured;
  colors[ImGuiCol_PlotLinesHovered] = p.accent;
  colors[ImGuiCol_PlotHistogram] = p.accent;
  colors[ImGuiCol_PlotHistogramHovered] = p.accent;
  colors[ImGuiCol_TableHeaderBg] = p.surface;
  colors[ImGuiCol_TableBorderStrong] = p.border;
  colors[ImGuiCol_TableBorderLight] = wash(p.border, 0.6F);
  colors[ImGuiCol_TableRowBg] = none;
  colors[ImGuiCol_TableRowBgAlt] = p.stripe;
  colors[ImGuiCol_TextLink] = p.accent;
  colors[ImGuiCol_TextSelectedBg] = wash(p.accent, 0.45F);
  colors[ImGuiCol_TreeLines] = p.border;
  colors[ImGuiCol_DragDropTarget] = p.accent;
  colors[ImGuiCol_DragDropTargetBg] = none;
  colors[ImGuiCol_UnsavedMarker] = p.warning;
  colors[ImGuiCol_NavCursor] = p.accent;
  colors[ImGuiCol_NavWindowingHighlight] = p.accent;
  colors[ImGuiCol_NavWindowingDimBg] = wash(p.background, 0.5F);
  colors[ImGuiCol_ModalWindowDimBg] = wash(p.background, 0.6F);
}

/// A new style each time, since ScaleAllSizes multiplies the current values.
void set_imgui_sizes(float scale) {
  ImGuiStyle style;
  style.FontSizeBase = 15;
  style.FontScaleDpi = scale;
  style.WindowPadding = {12, 10};
  style.FramePadding = {9, 5};
  style.ItemSpacing = {8, 7};
  style.ItemInnerSpacing = {7, 5};
  style.CellPadding = {8, 4};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 9;
  style.GrabMinSize = 12;
  style.WindowRounding = 6;
  style.ChildRounding = 6;
  style.PopupRounding = 6;
  style.FrameRounding = 5;
  style.GrabRounding = 5;
  style.ScrollbarRounding = 6;
  style.TabRounding = 5;
  style.WindowBorderSize = 1;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 1;
  style.TabBarBorderSize = 0;
  style.TabBarOverlineSize = 2;
  style.TabCloseButtonMinWidthSelected = 0;
  style.TabCloseButtonMinWidthUnselected = 0;
  style.DockingSeparatorSize = 3;
  style.DockingNodeHasCloseButton = false;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.WindowTitleAlign = {0, 0.5F};
  style.SeparatorTextBorderSize = 1;
  style.DisabledAlpha = 0.45F;
  style.HoverFlagsForTooltipMouse = ImGuiHoveredFlags_Stationary | ImGuiHoveredFlags_DelayShort;
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

void set_plot_style(const Palette& p, float scale) {
  ImPlotStyle& style = ImPlot::GetStyle();
  style = ImPlotStyle();
  const auto scaled = [scale](float x, float y) { return ImVec2(x * scale, y * scale); };
  style.PlotMinSize = scaled(120, 80);
  style.PlotBorderSize = 0;
  style.MinorAlpha = 0.3F;
  style.MajorTickLen = scaled(0, 0);
  style.MinorTickLen = scaled(0, 0);
  style.PlotPadding = scaled(6, 8);
  style.LabelPadding = scaled(6, 6);
  style.LegendPadding = scaled(8, 8);
  style.LegendInnerPadding = scaled(8, 6);
  style.LegendSpacing = scaled(8, 3);
  style.MousePosPadding = scaled(8, 8);
  style.AnnotationPadding = scaled(4, 3);
  style.FitPadding = {0.06F, 0.1F};
  ImVec4* colors = style.Colors;
  colors[ImPlotCol_FrameBg] = ImVec4(0, 0, 0, 0);
  colors[ImPlotCol_PlotBg] = p.plot;
  colors[ImPlotCol_PlotBorder] = p.border;
  colors[ImPlotCol_LegendBg] = wash(p.raised, 0.92F);
  colors[ImPlotCol_LegendBorder] = p.border;
  colors[ImPlotCol_LegendText] = p.text;
  colors[ImPlotCol_TitleText] = p.text;
  colors[ImPlotCol_InlayText] = p.text;
  colors[ImPlotCol_AxisText] = p.muted;
  colors[ImPlotCol_AxisGrid] = wash(p.muted, 0.22F);
  colors[ImPlotCol_AxisTick] = wash(p.muted, 0.4F);
  colors[ImPlotCol_AxisBg] = ImVec4(0, 0, 0, 0);
  colors[ImPlotCol_AxisBgHovered] = wash(p.accent, 0.15F);
  colors[ImPlotCol_AxisBgActive] = wash(p.accent, 0.25F);
  colors[ImPlotCol_Selection] = p.accent;
  colors[ImPlotCol_Crosshairs] = p.muted;
  style.Colormap = ImPlotColormap_Deep;
}

}  // namespace

Palette palette_of(ThemeKind kind) {
  return kind == ThemeKind::dark ? dark_palette() : light_palette();
}
const Palette& palette() {
  return theme().palette;
}
float ui_scale() {
  return theme().scale;
}
ThemeKind current_theme() {
  return theme().kind;
}

ImVec4 wash(const ImVec4& color, float opacity) {
  return {color.x, color.y, color.z, color.w * opacity};
}

void apply_theme(ThemeKind kind, float scale) {
  Theme& chosen = theme();
  chosen.kind = kind;
  chosen.scale = scale;
  chosen.palette = palette_of(kind);
  chosen.palette.heat_map = heat_map_colors();
  set_imgui_sizes(scale);
  set_imgui_colors(chosen.palette);
  set_plot_style(chosen.palette, scale);
}

}  // namespace tilescope
