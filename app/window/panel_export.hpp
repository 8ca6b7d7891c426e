#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/gui/actions.hpp"
#include "app/gui/panel.hpp"
#include "app/window/file_dialog.hpp"

namespace tilescope {

/// Saves what a panel shows: asks for the file, takes the panel's next frame, and says where the file is.
class PanelExport {
 public:
  /// Once per frame, after the panels: takes up what their menus were asked for and draws the file dialog.
  void draw(const std::vector<std::unique_ptr<Panel>>& panels, Explorer& explorer);
  /// Actions that export all open panels.
  static std::vector<Action> actions(const std::vector<std::unique_ptr<Panel>>& panels);

 private:
  void ask(Panel& panel, ExportFormat format, const std::filesystem::path& folder);
  void save(const std::filesystem::path& file, Explorer& explorer);

  FileDialog dialog_;
  /// The panel whose file name the dialog asks for.
  Panel* panel_ = nullptr;
  ExportFormat format_ = ExportFormat::png;
  /// Folder of the last file that was written, suggested for the next one.
  std::filesystem::path folder_;
};

/// As CSV. Throws ExportError for a panel that shows why it has no table instead.
std::string table_of(const Panel& panel);
/// Writes a text file. Throws UnwritableFile.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace tilescope
