#include "app/window/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/regular_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_recent = 12;
constexpr float smallest_scale = 0.75F;
constexpr float largest_scale = 4;

std::vector<std::string> as_strings(const std::vector<fs::path>& files) {
  std::vector<std::string> strings;
  strings.reserve(files.size());
  for (const fs::path& file : files) strings.push_back(file.string());
  return strings;
}

std::vector<fs::path> as_paths(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

Json json_of(const LastState& last) {
  Json json = {{"session", last.session.string()},
               {"autosave", last.autosave.string()},
               {"recorded", as_strings(last.recorded)},
               {"sweep", last.sweep}};
  if (last.experiment) json["experiment"] = *last.experiment;
  return json;
}

LastState last_state_from(const Json& json) {
  LastState last;
  last.session = json.value("session", "");
  last.autosave = json.value("autosave", "");
  last.recorded = as_paths(json.value("recorded", std::vector<std::string>{}));
  last.sweep = json.value("sweep", Json());
  if (!json.contains("experiment")) return last;
  try {
    last.experiment = json["experiment"].get<Experiment>();
  } catch (const DocumentError&) {
    // Written by another version of the program: the sliders start as they do at the first start.
  }
  return last;
}

Json json_of(const WindowPlace& place) {
  return {{"x", place.x},
          {"y", place.y},
          {"width", place.width},
          {"height", place.height},
          {"maximized", place.maximized},
          {"scale", place.scale}};
}

std::optional<WindowPlace> window_place_from(const Json& json) {
  const WindowPlace place{json.value("x", 0),
                          json.value("y", 0),
                          json.value("width", 0),
                          json.value("height", 0),
                          json.value("maximized", false),
                          json.value("scale", 0.0)};
  if (place.width <= 0 || place.height <= 0) return std::nullopt;
  return place;
}

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
  try {
    const Json json = read_json_file(file);
    settings.light = json.value("theme", "dark") == "light";
    const float scale = json.value("scale", 0.0F);
    settings.scale = scale > 0 ? std::clamp(scale, smallest_scale, largest_scale) : 0;
    settings.recent = as_paths(json.value("recent", std::vector<std::string>{}));
    settings.workspace = json.value("workspace", "");
    settings.panels = json.value("panels", decltype(settings.panels){});
    settings.layout = json.value("docks", "");
    settings.first_task_done = json.value("first_task_done", false);
    settings.no_gpu_dismissed = json.value("no_gpu_dismissed", false);
    settings.restores = json.value("restore", true);
    settings.prepares_neighbours = json.value("prepare_neighbours", true);
    settings.last = last_state_from(json.value("last", Json::object()));
    settings.place = window_place_from(json.value("window", Json::object()));
  } catch (const std::exception& error) {
    const auto* unreadable = dynamic_cast<const UnreadableFile*>(&error);
    if (unreadable != nullptr && unreadable->is_missing()) return settings;
    problem = fmt::format(
        "The window's settings in {} are not valid ({}). Defaults are used, and the file is written again.",
        file.string(), reason_without_file(error));
    return {};
  }
  return settings;
}

std::string save_settings(const fs::path& folder, const Settings& settings) {
  const fs::path file = folder / "window.json";
  Json json = {{"theme", settings.light ? "light" : "dark"},
               {"scale", settings.scale},
               {"recent", as_strings(settings.recent)},
               {"workspace", settings.workspace},
               {"panels", settings.panels},
               {"docks", settings.layout},
               {"first_task_done", settings.first_task_done},
               {"no_gpu_dismissed", settings.no_gpu_dismissed},
               {"restore", settings.restores},
               {"prepare_neighbours", settings.prepares_neighbours},
               {"last", json_of(settings.last)}};
  if (settings.place) json["window"] = json_of(*settings.place);
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
