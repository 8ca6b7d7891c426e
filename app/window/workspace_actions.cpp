// The user's actions: menus, shortcuts, the list of shortcuts and the command palette are made from these
// lists.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/gui/theme.hpp"
#include "app/window/workspace.hpp"
#include "profiler/measure/files/kernel_file_names.hpp"
#include "profiler/service/client/python_task.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr ImGuiKeyChord ctrl = ImGuiMod_Ctrl;
constexpr ImGuiKeyChord ctrl_shift = ImGuiMod_Ctrl | ImGuiMod_Shift;

Action submenu(std::string id, std::string title, std::string menu,
               std::function<std::vector<Action>()> children) {
  return {.id = std::move(id),
          .title = std::move(title),
          .menu = std::move(menu),
          .children = std::move(children)};
}

Action repeated(Action action) {
  action.repeats = true;
  return action;
}

Action with_full_title(Action action, std::string title) {
  action.full_title = std::move(title);
  return action;
}

}  // namespace

void Workspace::add_file_actions() {
  const auto has_recorded = [this] { return !explorer_.points().recorded().empty(); };
  const auto close_recorded = [this] { explorer_.points().close_all_recorded(); };
  actions_.add({"file.new", "New session", "File", ctrl | ImGuiKey_N, [this] { new_session(); }});
  actions_.add({"file.open", "Open...", "File", ctrl | ImGuiKey_O, [this] { ask_for_file_to_open(); }});
  actions_.add({"file.open_kernel", "Open kernel...", "File", ctrl_shift | ImGuiKey_O,
                [this] { explorer_.kernel_file_wanted(); }});
  actions_.add(submenu("file.recent", "Open recent", "File", [this] { return recent_files(); }));
  actions_.add(
      submenu("file.autosaved", "Autosaved sessions", "File", [this] { return autosaved_sessions(); }));
  actions_.add(submenu("file.example", "Examples", "File", [this] { return examples(); }));
  actions_.add({"file.close_recorded", "Close recorded sessions", "File", {}, close_recorded, has_recorded});
  actions_.begin_group();
  actions_.add({"file.save", "Save", "File", ctrl | ImGuiKey_S, [this] { save(); }});
  actions_.add(
      {"file.save_as", "Save as...", "File", ctrl_shift | ImGuiKey_S, [this] { ask_for_file_to_save(); }});
  actions_.add(submenu("file.export", "Export", "File", [this] { return PanelExport::actions(panels_); }));
  actions_.begin_group();
  Action restores{"file.restore", "Open the last session at start", "File"};
  restores.run = [this] { settings_.restores = !settings_.restores; };
  restores.checked = [this] { return settings_.restores; };
  actions_.add(std::move(restores));
  actions_.begin_group();
  actions_.add({"file.quit", "Quit", "File", ctrl | ImGuiKey_Q, [this] { quit(); }});
}

void Workspace::add_edit_actions() {
  Selection& selection = explorer_.selection();
  Jobs& jobs = explorer_.jobs();
  const auto can_undo = [this, &selection] {
    return explorer_.shown().can_restore() || selection.can_undo();
  };
  const auto can_redo = [&selection] { return selection.can_redo(); };
  const auto undo_text = [this, &selection] {
    return explorer_.shown().can_restore() ? std::string("remove a point") : selection.undo_text();
  };
  const auto redo_text = [&selection] { return selection.redo_text(); };
  const auto undo = [this, &selection] {
    if (explorer_.shown().can_restore()) return explorer_.shown().restore();
    selection.undo();
  };
  const auto redo = [&selection] { selection.redo(); };
  const auto measure_again = [&jobs] { jobs.measure_again(); };
  const auto sweeps = [&jobs] { return jobs.sweep() != nullptr; };
  actions_.add(repeated({"edit.undo", "Undo", "Edit", ctrl | ImGuiKey_Z, undo, can_undo, {}, undo_text}));
  Action redo_action{"edit.redo", "Redo", "Edit", ctrl_shift | ImGuiKey_Z, redo, can_redo, {}, redo_text};
  redo_action.second_shortcut = ctrl | ImGuiKey_Y;
  actions_.add(repeated(std::move(redo_action)));
  actions_.begin_group();
  actions_.add({"edit.measure_again", "Measure again", "Edit", ImGuiKey_F5, measure_again});
  actions_.add({"edit.cancel_sweep", "Cancel sweep", "Edit", {}, [&jobs] { jobs.cancel_sweep(); }, sweeps});
}

void Workspace::add_view_actions() {
  const auto choose_theme = [this](bool light) {
    theme_changed_ = theme_changed_ || settings_.light != light;
    settings_.light = light;
  };
  const auto dark = [choose_theme] { choose_theme(false); };
  const auto light = [choose_theme] { choose_theme(true); };
  const auto is_dark = [this] { return !settings_.light; };
  const auto is_light = [this] { return settings_.light; };
  const auto is_reset = [this] { return settings_.scale == 0; };
  actions_.add(tabs_.actions());
  actions_.begin_group();
  actions_.add(with_full_title({"view.dark", "Dark", "View", {}, dark, {}, is_dark}, "Theme: dark"));
  actions_.add(with_full_title({"view.light", "Light", "View", {}, light, {}, is_light}, "Theme: light"));
  actions_.begin_group();
  actions_.add(
      repeated({"view.zoom_in", "Zoom in", "View", ctrl | ImGuiKey_Equal, [this] { set_scale(1.1F); }}));
  actions_.add(repeated(
      {"view.zoom_out", "Zoom out", "View", ctrl | ImGuiKey_Minus, [this] { set_scale(1 / 1.1F); }}));
  actions_.add(
      {"view.reset_zoom", "Reset zoom", "View", ctrl | ImGuiKey_0, [this] { set_scale(0); }, {}, is_reset});
  actions_.begin_group();
  const auto prepares = [this] { return settings_.prepares_neighbours; };
  const auto toggle_preparing = [this] {
    settings_.prepares_neighbours = !settings_.prepares_neighbours;
    explorer_.neighbours().enable(settings_.prepares_neighbours);
  };
  actions_.add(
      {"view.prepare_neighbours", "Prepare neighbours ahead", "View", {}, toggle_preparing, {}, prepares});
}

void Workspace::add_help_actions() {
  const auto show = [this](HelpWindows::Page page) { return [this, page] { help_.show(page); }; };
  const auto search = [this] { palette_.show(actions_.every()); };
  Action palette{"help.commands", "Search commands...", "Help", ctrl_shift | ImGuiKey_P, search};
  palette.is_in_palette = false;
  actions_.add(std::move(palette));
  actions_.add({"help.shortcuts", "Shortcuts", "Help", ImGuiKey_F1, show(HelpWindows::Page::shortcuts)});
  actions_.add({"help.glossary", "Glossary", "Help", {}, show(HelpWindows::Page::glossary)});
  actions_.add({"help.performance", "Performance", "Help", {}, show(HelpWindows::Page::performance)});
  actions_.add({"help.first_task", "First task", "Help", {}, [this] { show_first_task(); }});
  actions_.begin_group();
  actions_.add({"help.about", "About Tilescope", "Help", {}, show(HelpWindows::Page::about)});
}

std::vector<Action> Workspace::recent_files() {
  std::vector<Action> actions;
  const auto is_like = [](const fs::path& file) {
    return [&file](const fs::path& other) { return other.filename() == file.filename(); };
  };
  for (const fs::path& file : settings_.recent) {
    Action action{"file.recent." + file.stem().string(), file.filename().string()};
    // Titles are what tells the items of a menu apart.
    if (std::ranges::count_if(settings_.recent, is_like(file)) > 1) {
      action.id += "." + file.parent_path().filename().string();
      action.title += " in " + file.parent_path().filename().string();
    }
    action.full_title = "Open recent: " + action.title;
    action.run = [this, file] { open(file); };
    action.tooltip = file.string();
    actions.push_back(std::move(action));
  }
  return actions;
}

/// Points measured without being saved under a name, also before a crash; newest first, for the names are
/// times.
std::vector<Action> Workspace::autosaved_sessions() {
  constexpr std::size_t max_sessions = 12;
  std::vector<fs::path> files = list_json_files(explorer_.points().autosave_folder());
  std::reverse(files.begin(), files.end());
  if (files.size() > max_sessions) files.resize(max_sessions);
  std::vector<Action> actions;
  for (const fs::path& file : files) {
    Action action{"file.autosaved." + file.stem().string(), file.stem().string()};
    action.full_title = "Autosaved session: " + action.title;
    action.run = [this, file] { open(file); };
    actions.push_back(std::move(action));
  }
  return actions;
}

std::vector<Action> Workspace::examples() {
  std::vector<Action> actions;
  for (const fs::path& file : examples_) {
    Action action{"file.example." + file.stem().string(), file.stem().string()};
    action.full_title = "Example: " + action.title;
    action.run = [this, file] { explorer_.points().begin_opening_recorded(file); };
    action.tooltip = "Recorded: drawn behind your points";
    actions.push_back(std::move(action));
  }
  return actions;
}

void Workspace::new_session() {
  explorer_.points().new_session();
}

/// Proposed for sessions without a name.
fs::path Workspace::sessions_folder() const {
  fs::path folder = explorer_.installation().data / "sessions";
  std::error_code ignored;  // Without it the dialog says what is wrong.
  fs::create_directories(folder, ignored);
  return folder;
}

void Workspace::ask_for_file_to_open() {
  const fs::path& file = explorer_.points().document().file();
  asked_ = Asked::session;
  dialog_.show(FileDialog::Purpose::open, file.empty() ? sessions_folder() : file.parent_path());
}

/// From `folder`, or where it is empty from the one of the file that is open, else the working folder.
void Workspace::ask_for_kernel(const fs::path& folder) {
  const fs::path& file = explorer_.board().get<OpenedFile>().file();
  std::error_code failed;
  const fs::path start = !folder.empty() ? folder
                         : file.empty()  ? fs::current_path(failed)
                                         : file.parent_path();
  asked_ = Asked::kernel;
  dialog_.show_with_folders(
      start, "kernel", kernel_file_extensions(),
      "A folder of Triton's or TorchInductor's cache opens as a whole, and so does a PyTorch task.");
}

void Workspace::ask_for_file_to_save() {
  const SessionDocument& document = explorer_.points().document();
  const fs::path suggested =
      !document.file().empty()
          ? document.file()
          : sessions_folder() / fmt::format("{}.json", explorer_.selection().experiment().kernel);
  asked_ = Asked::place_to_save;
  dialog_.show(FileDialog::Purpose::save, suggested);
}

void Workspace::open(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return has_machine_code(file) || find_python_task(file) ? open_kernel(file) : ask_for_kernel(file);
  if (holds_kernels(file)) return open_kernel(file);
  explorer_.points().begin_opening(file, [this, file] { settings_.add_recent(file); });
}

void Workspace::open_kernel(const fs::path& file) {
  explorer_.board().get<OpenedFile>().open(file);
  settings_.add_recent(explorer_.board().get<OpenedFile>().file());
  tabs_.activate_for(PanelRole::opened_file);
  tabs_.show(PanelRole::opened_file);
}

void Workspace::save() {
  if (explorer_.points().document().file().empty()) {
    ask_for_file_to_save();
  } else {
    explorer_.points().begin_saving();
  }
}

/// `factor` 0 goes back to the scale that is guessed for the monitor.
void Workspace::set_scale(float factor) {
  if (factor == 0) {
    settings_.scale = 0;
  } else {
    const float tenths = std::round(ui_scale() * factor * 20) / 20;
    settings_.scale = std::clamp(tenths, 0.75F, 4.0F);
  }
  theme_changed_ = true;
}

}  // namespace tilescope
