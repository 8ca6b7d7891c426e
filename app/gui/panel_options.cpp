#include "app/gui/panel_options.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

namespace tilescope {

namespace {

using Panels = std::vector<std::unique_ptr<Panel>>;

/// In ImGui's settings: "[Panel][points]".
constexpr const char* type_name = "Panel";

void* find_panel(ImGuiContext* /*context*/, ImGuiSettingsHandler* handler, const char* id) {
  const Panels& panels = *static_cast<const Panels*>(handler->UserData);
  const auto found =
      std::find_if(panels.begin(), panels.end(), [&](const auto& panel) { return panel->id() == id; });
  return found == panels.end() ? nullptr : found->get();
}

void read_line(ImGuiContext* /*context*/, ImGuiSettingsHandler* /*handler*/, void* panel, const char* line) {
  if (*line != '\0') static_cast<Panel*>(panel)->take_option(line);
}

void write_all(ImGuiContext* /*context*/, ImGuiSettingsHandler* handler, ImGuiTextBuffer* text) {
  for (const auto& panel : *static_cast<const Panels*>(handler->UserData)) {
    const std::vector<std::string> options = panel->options();
    if (options.empty()) continue;
    text->appendf("[%s][%s]\n", type_name, panel->id().c_str());
    for (const std::string& line : options) text->appendf("%s\n", line.c_str());
    text->append("\n");
  }
}

}  // namespace

KeepPanelOptions::KeepPanelOptions(const Panels& panels) {
  ImGuiSettingsHandler handler;
  handler.TypeName = type_name;
  handler.TypeHash = ImHashStr(type_name);
  handler.ReadOpenFn = find_panel;
  handler.ReadLineFn = read_line;
  handler.WriteAllFn = write_all;
  // ImGui's callbacks take no constant pointer; they only read the list.
  handler.UserData = const_cast<Panels*>(&panels);
  ImGui::AddSettingsHandler(&handler);
}

KeepPanelOptions::~KeepPanelOptions() {
  if (ImGui::GetCurrentContext() != nullptr) ImGui::RemoveSettingsHandler(type_name);
}

}  // namespace tilescope
