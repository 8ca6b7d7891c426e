#include "app/shell/theme.hpp"

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
  p.hovered = rgb(0x343c49);
  p.border = rgb(0x2c333d);
  p.text = rgb(0xe7ebf1);
  p.muted = rgb(0x98a4b4);
  p.accent = rgb(0x3d8fe0);
  p.accent_soft = rgb(0x1d3c5c);
  p.accent_text = rgb(0xffffff);
  p.ok = rgb(0x2fb88a);
  p.warning = rgb(0xe8a33d);
  p.error = rgb(0xf2705b);
  p.measured = rgb(0x56b4e9);
  p.counted = rgb(0x2fb88a);
  p.predicted = rgb(0xd68fb8);
  p.recorded = rgb(0x8c97a6);
  p.selection = rgb(0xf5c64b);
  p.series = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x2fb88a), rgb(0xd68fb8),
              rgb(0xf0e442), rgb(0xf2705b), rgb(0xa7b2c1)};
  return p;
}

Palette light_palette() {
  Palette p;
  p.background = rgb(0xe3e7ed);
  p.surface = rgb(0xfcfdfe);
  p.raised = rgb(0xe9edf3);
  p.hovered = rgb(0xd9e1eb);
  p.border = rgb(0xcfd6e0);
  p.text = rgb(0x18202b);
  p.muted = rgb(0x566273);
  p.accent = rgb(0x1668b8);
  p.accent_soft = rgb(0xcfe3f7);
  p.accent_text = rgb(0xffffff);
  p.ok = rgb(0x00785c);
  p.warning = rgb(0x9a5b00);
  p.error = rgb(0xbe3a1d);
  p.measured = rgb(0x0072b2);
  p.counted = rgb(0x00785c);
  p.predicted = rgb(0xa5457e);
  p.recorded = rgb(0x7c8796);
  p.selection = rgb(0xb45f00);
  p.series = {rgb(0x0072b2), rgb(0xc77400), rgb(0x00785c), rgb(0xa5457e),
              rgb(0x7a6f00), rgb(0xbe3a1d), rgb(0x566273)};
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
  Palette palette = dark_palette();
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
  colors[ImGuiCol_Border] = p.border;
  colors[ImGuiCol_BorderShadow] = none;
  colors[ImGuiCol_FrameBg] = p.raised;
  colors[ImGuiCol_FrameBgHovered] = p.hovered;
  colors[ImGuiCol_FrameBgActive] = p.hovered;
  colors[ImGuiCol_TitleBg] = p.background;
  colors[ImGuiCol_TitleBgActive] = p.background;
  colors[ImGuiCol_TitleBgCollapsed] = p.background;
  colors[ImGuiCol_MenuBarBg] = p.background;
  colors[ImGuiCol_ScrollbarBg] = none;
  colors[ImGuiCol_ScrollbarGrab] = p.hovered;
  colors[ImGuiCol_ScrollbarGrabHovered] = wash(p.muted, 0.6F);
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
  colors[ImGuiCol_TableRowBgAlt] = wash(p.raised, 0.35F);
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
  style.ScrollbarSize = 11;
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
  colors[ImPlotCol_PlotBg] = wash(p.background, 0.45F);
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
  chosen.palette = kind == ThemeKind::dark ? dark_palette() : light_palette();
  chosen.palette.heat_map = heat_map_colors();
  chosen.palette.heat_map_text_on_dark = rgb(0xffffff);
  chosen.palette.heat_map_text_on_light = rgb(0x14181f);
  set_imgui_sizes(scale);
  set_imgui_colors(chosen.palette);
  set_plot_style(chosen.palette, scale);
}

}  // namespace tilescope
