#include "app/shell/panel_export.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "app/shell/gui.hpp"
#include "app/shell/svg.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// What fails is said in the window; it must not end it.
void write_and_inform(const fs::path& file, Explorer& explorer, const std::function<void()>& write) {
  try {
    write();
    explorer.notices().inform(fmt::format("Saved {}", file.string()));
  } catch (const std::exception& error) {
    explorer.notices().say(error.what());
  }
}

}  // namespace

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

void PanelExport::save(const fs::path& file, Explorer& explorer) {
  folder_ = file.parent_path();
  if (format_ == ExportFormat::csv) {
    write_and_inform(file, explorer, [&] { write_text(file, panel_->csv()); });
    return;
  }
  const bool is_svg = format_ == ExportFormat::svg;
  panel_->request_picture(is_svg, [file, is_svg, title = panel_->title(), &explorer](ImDrawData& data) {
    write_and_inform(file, explorer, [&] {
      if (is_svg) {
        write_text(file, to_svg(data, title, ImGui::GetStyleColorVec4(ImGuiCol_WindowBg)));
      } else {
        write_png(file, data);
      }
    });
  });
}

void write_text(const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

}  // namespace tilescope
