#include "app/shell/panel_export.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <stdexcept>
#include <system_error>

#include "app/shell/gui.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/svg.hpp"
#include "sessions/atomic_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

void PanelExport::draw(const std::vector<std::unique_ptr<Panel>>& panels, Explorer& explorer) {
  for (const auto& panel : panels) {
    const auto wanted = panel->take_wanted_export();
    if (wanted) ask(*panel, *wanted, folder_.empty() ? explorer.installation().data : folder_);
  }
  if (const auto file = dialog_.draw()) save(*file, explorer);
}

void PanelExport::ask(Panel& panel, ExportFormat format, const fs::path& folder) {
  panel_ = &panel;
  format_ = format;
  const std::string extension = extension_of(format);
  dialog_.show(FileDialog::Purpose::save, folder / (panel.id() + extension), to_words(format), extension);
}

void PanelExport::draw_menu(const std::vector<std::unique_ptr<Panel>>& panels) {
  const bool shown = ImGui::BeginMenu("Export");
  landmark("menu.export");
  if (!shown) return;
  for (const auto& panel : panels) {
    if (!panel->open) continue;
    const bool chosen = ImGui::BeginMenu(panel->title().c_str());
    landmark("menu.export." + panel->id());
    if (!chosen) continue;
    panel->draw_export_items();
    ImGui::EndMenu();
  }
  ImGui::EndMenu();
}

void PanelExport::save(const fs::path& file, Explorer& explorer) {
  folder_ = file.parent_path();
  const auto write = [file, format = format_, &panel = *panel_](ImDrawData& data) {
    switch (format) {
      case ExportFormat::png:
        return write_png(file, data);
      case ExportFormat::svg:
        return write_text(file, to_svg(data, panel.title(), ImGui::GetStyleColorVec4(ImGuiCol_WindowBg)));
      case ExportFormat::csv:
        return write_text(file, panel.csv());
    }
  };
  // A table too: a panel that lay behind another one has not drawn what it would show now.
  panel_->request_picture(format_ == ExportFormat::svg, [file, write, &explorer](ImDrawData& data) {
    try {
      write(data);
      explorer.notices().inform(fmt::format("Saved {}", file.string()));
    } catch (const std::exception& error) {
      explorer.notices().say(error.what());
    }
  });
}

void write_text(const fs::path& file, const std::string& text) {
  try {
    replace_file(file, {text});
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), error.what()));
  }
}

}  // namespace tilescope
