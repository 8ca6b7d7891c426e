#include "app/window/panel_export.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/gui.hpp"
#include "app/gui/svg.hpp"
#include "base/output_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

void PanelExport::draw(const std::vector<std::unique_ptr<Panel>>& panels, Explorer& explorer) {
  for (const auto& panel : panels) {
    const auto wanted = panel->take_wanted_export();
    if (wanted) ask(*panel, *wanted, folder_.empty() ? fs::current_path() : folder_);
  }
  if (const auto file = dialog_.draw()) save(*file, explorer);
}

void PanelExport::ask(Panel& panel, ExportFormat format, const fs::path& folder) {
  panel_ = &panel;
  format_ = format;
  const std::string extension = extension_of(format);
  dialog_.show(FileDialog::Purpose::save, folder / (panel.id() + extension), to_words(format), {extension});
}

std::vector<Action> PanelExport::actions(const std::vector<std::unique_ptr<Panel>>& panels) {
  std::vector<Action> actions;
  for (const auto& panel : panels) {
    if (!panel->open) continue;
    for (const ExportFormat format : {ExportFormat::png, ExportFormat::svg, ExportFormat::csv}) {
      if (format == ExportFormat::csv && !panel->has_table()) continue;
      const std::string extension = extension_of(format);
      Action action{"file.export." + panel->id() + extension,
                    fmt::format("{} as {}...", panel->title(), to_words(format)), "File"};
      action.full_title = "Export " + action.title;
      action.starts_group = format == ExportFormat::png && !actions.empty();
      action.run = [panel = panel.get(), format] { panel->want_export(format); };
      actions.push_back(std::move(action));
    }
  }
  return actions;
}

void PanelExport::save(const fs::path& file, Explorer& explorer) {
  const auto write = [file, format = format_, &panel = *panel_](ImDrawData& data) {
    switch (format) {
      case ExportFormat::png:
        return write_png(file, data);
      case ExportFormat::svg:
        return write_text(file, to_svg(data, panel.title(), ImGui::GetStyleColorVec4(ImGuiCol_WindowBg)));
      case ExportFormat::csv:
        return write_text(file, table_of(panel));
    }
  };
  // A table too: a panel that lay behind another one has not drawn what it would show now.
  panel_->request_picture(format_ == ExportFormat::svg, [this, file, write, &explorer](ImDrawData& data) {
    try {
      write(data);
      folder_ = file.parent_path();
      explorer.notices().inform(fmt::format("Saved {}", file.string()));
    } catch (const std::exception& error) {
      explorer.notices().say(error.what());
    }
  });
}

std::string table_of(const Panel& panel) {
  std::string table = panel.csv();
  if (table.empty())
    throw ExportError(fmt::format("panel '{}' shows no table now; it says what is missing", panel.id()));
  return table;
}

void write_text(const fs::path& file, const std::string& text) {
  write_output_file(file, text);
}

}  // namespace tilescope
