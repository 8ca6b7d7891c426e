#include "app/shell/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "sessions/atomic_file.hpp"
#include "sessions/json.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_recent = 12;
constexpr float smallest_scale = 0.75F;
constexpr float largest_scale = 4;

}  // namespace

void Settings::add_recent(const fs::path& file) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(file, ignored);
  std::erase(recent, canonical);
  recent.insert(recent.begin(), canonical);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

Settings load_settings(const fs::path& folder, std::string& problem) {
  const fs::path file = folder / "window.json";
  Settings settings;
  std::ifstream input(file);
  if (!input) return settings;
  try {
    const Json json = Json::parse(input);
    settings.light = json.value("theme", "dark") == "light";
    const float scale = json.value("scale", 0.0F);
    settings.scale = scale > 0 ? std::clamp(scale, smallest_scale, largest_scale) : 0;
    for (const std::string& path : json.value("recent", std::vector<std::string>{}))
      settings.recent.emplace_back(path);
    settings.workspace = json.value("workspace", "");
    settings.panels = json.value("panels", decltype(settings.panels){});
    settings.layout = json.value("docks", "");
  } catch (const Json::exception& error) {
    problem =
        fmt::format("The window's settings in {} are damaged and were left out ({}). They are written anew.",
                    file.string(), error.what());
    return {};
  }
  return settings;
}

std::string save_settings(const fs::path& folder, const Settings& settings) {
  const fs::path file = folder / "window.json";
  std::vector<std::string> recent;
  for (const fs::path& path : settings.recent) recent.push_back(path.string());
  const Json json = {{"theme", settings.light ? "light" : "dark"},
                     {"scale", settings.scale},
                     {"recent", recent},
                     {"workspace", settings.workspace},
                     {"panels", settings.panels},
                     {"docks", settings.layout}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  try {
    fs::create_directories(folder);
    replace_file(file, {text});
  } catch (const std::exception& error) {
    return fmt::format("The window's settings are not kept: {} cannot be written ({}).", file.string(),
                       error.what());
  }
  return "";
}

}  // namespace tilescope
