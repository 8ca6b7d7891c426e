#include "app/gui/panel.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/outdated_veil.hpp"
#include "app/gui/svg.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

namespace {

using Factory = std::function<std::unique_ptr<Panel>()>;

std::vector<Factory>& factories() {
  static std::vector<Factory> list;
  return list;
}

/// Lets what is drawn reach to the least height. ImGui has a call for the whole size of the content, but that would
/// also keep it from being higher.
void keep_height(float least) {
  ImGuiWindow& window = *ImGui::GetCurrentWindow();
  const float bottom = window.WorkRect.Min.y + least;
  window.WorkRect.Max.y = std::max(window.WorkRect.Max.y, bottom);
  window.ContentRegionRect.Max.y = std::max(window.ContentRegionRect.Max.y, bottom);
}

void stop_for(const char* what, const std::string& name, const Panel& a, const Panel& b) {
  std::fprintf(stderr, "Two panels have the %s '%s': \"%s\" and \"%s\". Give one of them another %s.\n", what,
               name.c_str(), a.title().c_str(), b.title().c_str(), what);
  std::exit(2);
}

/// Ends the program for two panels of which the window could not tell which one is meant.
void require_unlike(const Panel& a, const Panel& b) {
  if (a.id() == b.id()) stop_for("id", a.id(), a, b);
  if (a.role() && a.role() == b.role()) stop_for("role", to_string(*a.role()), a, b);
}

constexpr const char* menu_name = "panel menu";

/// Whether the right button was clicked in the panel and nothing there answered with a menu of its own.
bool clicked_beside_menus() {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Right)) return false;
  const bool dragged =
      io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] > io.MouseDragThreshold * io.MouseDragThreshold;
  const bool answered = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  return !dragged && !answered && ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows);
}

/// After Begin the last item is the tab or the title bar, which lies beside the window's own clip rectangle.
void mark_tab(const std::string& id) {
  ImGui::PushClipRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), false);
  landmark("tab." + id);
  ImGui::PopClipRect();
}

void add_lists(ImDrawData& data, ImGuiWindow& window) {
  data.AddDrawList(window.DrawList);
  for (ImGuiWindow* child : window.DC.ChildWindows) {
    if (child->Active && !child->Hidden) add_lists(data, *child);
  }
}

/// A window below its title or tab bar and what is in it, without what lies over it. Valid until the next frame.
ImDrawData draw_data_of(ImGuiWindow& window) {
  ImDrawData data;
  data.DisplayPos = {window.Pos.x, window.InnerRect.Min.y};
  data.DisplaySize = {window.Size.x, window.Pos.y + window.Size.y - window.InnerRect.Min.y};
  data.FramebufferScale = {1, 1};
  add_lists(data, window);
  data.Valid = true;
  return data;
}

}  // namespace

Panel::Panel(std::string id, std::string title, PanelSize least, std::optional<PanelRole> role)
    : id_(std::move(id)), title_(std::move(title)), least_(least), role_(role) {}

std::string Panel::window_name(const std::string& workspace) const {
  return fmt::format("{}###{}@{}", title_, id_, workspace);
}

void Panel::show(Explorer& explorer, const PanelPlace& place) {
  hovered_ = false;
  if (!open) return;
  const std::string name = window_name(place.workspace);
  const ImVec2 least(static_cast<float>(least_.width) * ui_scale(),
                     static_cast<float>(least_.height) * ui_scale());
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse;
  if (!place.takes_focus) flags |= ImGuiWindowFlags_NoFocusOnAppearing;
  const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
  if (window != nullptr && window->Size.x - 2 * padding.x < least.x) {
    ImGui::SetNextWindowContentSize({least.x, 0});
    flags |= ImGuiWindowFlags_HorizontalScrollbar;
  }
  std::optional<ExactShapes> exact;
  if (picture_) ImGui::SetNextWindowFocus();
  if (picture_ && picture_->exact_shapes) exact.emplace();
  ImGui::SetNextWindowDockID(place.dock, ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSizeConstraints({least.x + 2 * padding.x, least.y + 2 * padding.y}, {FLT_MAX, FLT_MAX});
  const bool is_visible = ImGui::Begin(name.c_str(), &open, flags);
  // First of all: after anything is written into the window the tab is no longer the last item.
  ImGui::OpenPopupOnItemClick(menu_name, ImGuiPopupFlags_MouseButtonRight);
  mark_tab(id_);
  if (is_visible && place.has_content) {
    keep_height(least.y);
    // The columns of a table and the zoom of a plot are the panel's, whichever workspace's window it is drawn into.
    ImGui::PushOverrideID(ImHashStr(id_.c_str()));
    draw_content(explorer);
    ImGui::PopID();
    if (clicked_beside_menus()) ImGui::OpenPopup(menu_name);
    hovered_ = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
    landmark("panel." + id_, ImGui::GetWindowPos(),
             {ImGui::GetWindowPos().x + ImGui::GetWindowSize().x,
              ImGui::GetWindowPos().y + ImGui::GetWindowSize().y});
  }
  if (ImGui::BeginPopup(menu_name)) {
    draw_export_items();
    ImGui::EndPopup();
  }
  ImGuiWindow& drawn = *ImGui::GetCurrentWindow();
  ImGui::End();
  if (is_visible) draw_help(drawn);
  if (is_visible && place.has_content) hand_over_picture(drawn);
}

void Panel::draw_content(Explorer& explorer) {
  draw(explorer);
  if (is_outdated(explorer)) draw_outdated_veil();
}

/// At the right end of the tab bar, where it takes no room from what the panel draws.
void Panel::draw_help(ImGuiWindow& window) const {
  ImGuiDockNode* node = window.DockNode;
  if (help_.help.empty() || node == nullptr || node->VisibleWindow != &window) return;
  if (!ImGui::DockNodeBeginAmendTabBar(node)) return;
  ImGui::TabItemButton("?##help", ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip);
  landmark("help." + id_);
  if (ImGui::BeginItemTooltip()) {
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
    ImGui::TextUnformatted(help_.help.c_str());
    landmark("help.text." + id_);
    ImGui::Spacing();
    ImGui::TextDisabled("%s", help_.formula.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  ImGui::DockNodeEndAmendTabBar();
}

void Panel::hand_over_picture(ImGuiWindow& window) {
  if (!picture_) return;
  ImDrawData data = draw_data_of(window);
  std::exchange(picture_, std::nullopt)->take(data);
}

void Panel::request_picture(bool exact_shapes, std::function<void(ImDrawData&)> take) {
  open = true;
  picture_ = {exact_shapes, std::move(take)};
}

void Panel::draw_export_items() {
  const auto entry = [this](const char* label, ExportFormat format) {
    if (ImGui::MenuItem(label)) want_export(format);
    landmark("panel_menu" + extension_of(format));
  };
  entry("Save as PNG...", ExportFormat::png);
  entry("Save as SVG...", ExportFormat::svg);
  if (has_table()) entry("Save table as CSV...", ExportFormat::csv);
}

void Panel::show_alone(Explorer& explorer) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.Pos);
  ImGui::SetNextWindowSize(viewport.Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove;
  if (ImGui::Begin(window_name("").c_str(), nullptr, flags)) {
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(title_.c_str());
    ImGui::PopFont();
    ImGui::Spacing();
    draw_content(explorer);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

RegisterPanel::RegisterPanel(std::function<std::unique_ptr<Panel>()> make) {
  factories().push_back(std::move(make));
}

std::vector<std::unique_ptr<Panel>> make_registered_panels() {
  std::vector<std::unique_ptr<Panel>> panels;
  for (const Factory& make : factories()) panels.push_back(make());
  // The order of static initialisation is the linker's; menus want one that stays.
  std::sort(panels.begin(), panels.end(), [](const auto& a, const auto& b) {
    return std::tie(a->title(), a->id()) < std::tie(b->title(), b->id());
  });
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (std::size_t j = i + 1; j < panels.size(); ++j) require_unlike(*panels[i], *panels[j]);
  }
  return panels;
}

}  // namespace tilescope
