#include "app/window/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/object_writer.hpp"
#include "base/path_form.hpp"
#include "base/regular_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_recent = 12;
constexpr float smallest_scale = 0.75F;
constexpr float largest_scale = 4;

using Paths = std::vector<fs::path>;
using OpenPanels = decltype(Settings::panels);

Json paths_to_json(const Paths& files) {
  Json list = Json::array();
  for (const fs::path& file : files) list.push_back(file.string());
  return list;
}

Paths paths_from(const Json& json) {
  const auto strings = json.get<std::vector<std::string>>();
  return {strings.begin(), strings.end()};
}

// One that another version of the program wrote is as good as none: the sliders start as they do at the first start.
std::optional<Experiment> experiment_from(const Json& json) {
  try {
    return json.get<Experiment>();
  } catch (const DocumentError&) {
    return std::nullopt;
  }
}

constexpr Form<Paths> paths_form{paths_to_json, paths_from};
constexpr Form<std::optional<Experiment>> experiment_form{
    [](const std::optional<Experiment>& experiment) { return value_or_null(experiment); }, experiment_from};
constexpr Form<OpenPanels> panels_form{[](const OpenPanels& panels) { return Json(panels); },
                                       [](const Json& json) { return json.get<OpenPanels>(); }};
constexpr Form<bool> theme_form{[](const bool& light) { return Json(light ? "light" : "dark"); },
                                [](const Json& json) { return json.get<std::string>() == "light"; }};
constexpr Form<float> scale_form{[](const float& scale) { return Json(scale); },
                                 [](const Json& json) {
                                   const auto scale = json.get<float>();
                                   return scale > 0 ? std::clamp(scale, smallest_scale, largest_scale) : 0;
                                 }};

constexpr auto last_members = [](const auto& object, auto& last) {
  object.optional("session", last.session, path_form);
  object.optional("autosave", last.autosave, path_form);
  object.optional("recorded", last.recorded, paths_form);
  object.optional("sweep", last.sweep);
  object.optional("experiment", last.experiment, experiment_form);
};

constexpr auto place_members = [](const auto& object, auto& place) {
  object.optional("x", place.x);
  object.optional("y", place.y);
  object.optional("width", place.width);
  object.optional("height", place.height);
  object.optional("maximized", place.maximized);
  object.optional("scale", place.scale);
};

constexpr Form<LastState> last_form = form_of<last_members, LastState>;
constexpr Form<WindowPlace> place_form = form_of<place_members, WindowPlace>;

constexpr auto settings_members = [](const auto& object, auto& settings) {
  object.optional("theme", settings.light, theme_form);
  object.optional("scale", settings.scale, scale_form);
  object.optional("recent", settings.recent, paths_form);
  object.optional("workspace", settings.workspace, even_empty);
  object.optional("panels", settings.panels, panels_form);
  object.optional("docks", settings.layout, even_empty);
  object.optional("first_task_done", settings.first_task_done);
  object.optional("no_gpu_dismissed", settings.no_gpu_dismissed);
  object.optional("restore", settings.restores);
  object.optional("prepare_neighbours", settings.prepares_neighbours);
  object.optional("last", settings.last, last_form);
  object.optional("window", settings.place, place_form);
};

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
    settings_members(ObjectReader(read_json_file(file)), settings);
    if (settings.place && (settings.place->width <= 0 || settings.place->height <= 0)) settings.place.reset();
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
  Json json;
  settings_members(ObjectWriter(json), settings);
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
