#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "app/gui/theme.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

/// A typeface of the window: the files to try, best first.
struct Face {
  const char* name;
  /// Package of Debian and Ubuntu.
  const char* package;
  std::vector<const char*> files;
};

std::vector<fs::path> font_folders() {
  std::vector<fs::path> folders;
  if (const fs::path home = home_folder(); !home.empty()) {
    folders.push_back(home / ".local/share/fonts");
    folders.push_back(home / ".fonts");
  }
  for (const char* system : {"/usr/share/fonts/opentype", "/usr/share/fonts/truetype", "/usr/share/fonts",
                             "/usr/local/share/fonts"}) {
    folders.emplace_back(system);
  }
  return folders;
}

/// Debian and Ubuntu have a folder for each face; the tree is only searched if the file is elsewhere.
std::optional<fs::path> find_font(const char* file) {
  static constexpr std::array<const char*, 5> usual = {"inter", "jetbrains-mono", "dejavu", "Inter", "."};
  std::error_code ignored;
  for (const fs::path& folder : font_folders()) {
    for (const char* own : usual) {
      if (fs::path path = folder / own / file; fs::is_regular_file(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> search_font(const char* file) {
  std::error_code ignored;
  for (const fs::path& folder : font_folders()) {
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, ignored);
    for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
      if (entry->path().filename() == file) return entry->path();
    }
  }
  return std::nullopt;
}

/// Tries the usual places for every file first, so that a machine without the best face does not search its whole tree
/// at every start.
ImFont* load_face(const Face& face, std::vector<std::string>& missing) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  for (std::size_t i = 0; i < face.files.size(); ++i) {
    const auto path = find_font(face.files[i]);
    if (!path) continue;
    if (ImFont* font = atlas.AddFontFromFileTTF(path->c_str())) {
      if (i > 0) {
        missing.push_back(
            fmt::format("The font {} is not installed, {} serves. To install it: apt-get install {}",
                        face.name, path->filename().string(), face.package));
      }
      return font;
    }
  }
  if (const auto path = search_font(face.files.front())) {
    if (ImFont* font = atlas.AddFontFromFileTTF(path->c_str())) return font;
  }
  missing.push_back(
      fmt::format("The font {} is not installed, a plain one serves. To install it: apt-get install {}",
                  face.name, face.package));
  return nullptr;
}

Fonts& loaded() {
  static Fonts instance;
  return instance;
}

}  // namespace

const Fonts& fonts() {
  return loaded();
}

std::vector<std::string> load_fonts() {
  std::vector<std::string> missing;
  const Face text{"Inter", "fonts-inter", {"Inter-Regular.otf", "Inter-Regular.ttf", "DejaVuSans.ttf"}};
  const Face bold{
      "Inter", "fonts-inter", {"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "DejaVuSans-Bold.ttf"}};
  const Face mono{"JetBrains Mono",
                  "fonts-jetbrains-mono",
                  {"JetBrainsMono-Regular.ttf", "JetBrainsMono-Regular.otf", "DejaVuSansMono.ttf"}};
  Fonts& fonts = loaded();
  fonts.text = load_face(text, missing);
  if (fonts.text == nullptr) fonts.text = ImGui::GetIO().Fonts->AddFontDefault();
  std::vector<std::string> said_with_the_text;
  fonts.bold = load_face(bold, said_with_the_text);
  if (fonts.bold == nullptr) fonts.bold = fonts.text;
  fonts.mono = load_face(mono, missing);
  if (fonts.mono == nullptr) fonts.mono = fonts.text;
  ImGui::GetIO().FontDefault = fonts.text;
  return missing;
}

}  // namespace tilescope
