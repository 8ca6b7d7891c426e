#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// Chooses a file to open, or one to save to. Drawn by the window itself, so that it works without a desktop's
/// dialogs.
class FileDialog {
 public:
  enum class Purpose { open, save };

  /// Shows the dialog from the next frame on, with `suggested` as the folder or the file to start from. `what` is said
  /// in the title. Files with these extensions are listed; a saved file gets the first one. The path of any file can be
  /// typed.
  void show(Purpose purpose, const std::filesystem::path& suggested, const std::string& what = "session",
            const std::vector<std::string>& extensions = {".json"});
  /// As show() to open a file, and a button opens the folder that is shown: `folder_help` says which folders can be.
  void show_with_folders(const std::filesystem::path& suggested, const std::string& what,
                         const std::vector<std::string>& extensions, const std::string& folder_help);
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
  bool draw_folder_button() const;
  void draw_entries();
  std::filesystem::path typed() const;
  /// Handles typed text: opens a folder, returns a file (to save: in a folder that exists), or sets error_.
  std::optional<std::filesystem::path> accept();

  Purpose purpose_ = Purpose::open;
  std::string title_;
  std::vector<std::string> extensions_;
  /// Empty where a folder cannot be chosen.
  std::string folder_help_;
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
