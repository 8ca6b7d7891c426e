#include "app/shell/panel.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"

namespace tilescope {

namespace {

using Factory = std::function<std::unique_ptr<Panel>()>;

std::vector<Factory>& factories() {
  static std::vector<Factory> list;
  return list;
}

}  // namespace

Panel::Panel(std::string id, std::string title, DockSlot slot)
    : id_(std::move(id)), title_(std::move(title)), slot_(slot) {}

std::string Panel::window_name() const {
  return fmt::format("{}###{}", title_, id_);
}

void Panel::show(Explorer& explorer) {
  if (!open) return;
  ImGui::SetNextWindowSizeConstraints({200 * ui_scale(), 120 * ui_scale()}, {FLT_MAX, FLT_MAX});
  if (ImGui::Begin(window_name().c_str(), &open, ImGuiWindowFlags_NoCollapse)) {
    draw(explorer);
    landmark("panel." + id_, ImGui::GetWindowPos(),
             {ImGui::GetWindowPos().x + ImGui::GetWindowSize().x,
              ImGui::GetWindowPos().y + ImGui::GetWindowSize().y});
  }
  ImGui::End();
}

void Panel::show_alone(Explorer& explorer) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.Pos);
  ImGui::SetNextWindowSize(viewport.Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove;
  if (ImGui::Begin(window_name().c_str(), nullptr, flags)) {
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(title_.c_str());
    ImGui::PopFont();
    ImGui::Spacing();
    draw(explorer);
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
  // The order of static initialisation depends on the linker; menus and tabs need a fixed one.
  std::stable_sort(panels.begin(), panels.end(), [](const auto& a, const auto& b) {
    return std::pair(a->slot(), a->id()) < std::pair(b->slot(), b->id());
  });
  for (std::size_t i = 0; i + 1 < panels.size(); ++i) {
    for (std::size_t j = i + 1; j < panels.size(); ++j) {
      if (panels[i]->id() != panels[j]->id()) continue;
      std::fprintf(stderr, "Two panels have the id '%s': \"%s\" and \"%s\". Give one of them another id.\n",
                   panels[i]->id().c_str(), panels[i]->title().c_str(), panels[j]->title().c_str());
      std::exit(2);
    }
  }
  return panels;
}

}  // namespace tilescope
