#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// Chooses a session file, or where a table is exported to. Drawn by the window itself, so that it works without a desktop's dialogs.
class FileDialog {
 public:
  enum class Purpose { open, save, export_csv };

  /// Shows the dialog from the next frame on, with `suggested` as the folder or the file to start from.
  void show(Purpose purpose, const std::filesystem::path& suggested);
  /// Draws it. Returns the file in the frame in which it was chosen.
  std::optional<std::filesystem::path> draw();

 private:
  struct Entry {
    std::string name;
    bool folder = false;
    /// Time of the last change, for a file.
    std::string changed;
  };

  void go_to(const std::filesystem::path& folder);
  void draw_folder_line();
  void draw_entries();
  std::filesystem::path typed() const;
  /// Handles typed text: opens a folder, returns a file, or sets error_.
  std::optional<std::filesystem::path> accept();

  Purpose purpose_ = Purpose::open;
  bool requested_ = false;
  bool focus_name_ = false;
  bool row_chosen_ = false;
  bool confirm_replace_ = false;
  std::filesystem::path folder_;
  std::vector<Entry> entries_;
  std::string name_;
  std::string error_;
};

}  // namespace tilescope
