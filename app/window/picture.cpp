#include "app/window/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/graphics.hpp"
#include "app/gui/gui.hpp"
#include "app/gui/svg.hpp"
#include "app/window/workspace.hpp"
#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {

namespace {

// ImGui sizes columns and docks from the frame before; plots fit their axes in the second one.
constexpr int frames_to_settle = 6;

Panel* choose_panel(const Workspace& workspace, const std::string& id) {
  if (id == "window") return nullptr;
  Panel* panel = workspace.find_panel(id);
  if (panel != nullptr) return panel;
  std::vector<std::string> ids{"window"};
  for (const auto& known : workspace.panels()) ids.push_back(known->id());
  throw UnknownName(suggest_names(fmt::format("there is no panel '{}'", id), id, ids));
}

/// `panel` is null for the window.
void require_table(const Panel* panel, const Workspace& workspace) {
  if (panel != nullptr && panel->has_table()) return;
  std::string tables;
  for (const auto& known : workspace.panels()) {
    if (known->has_table()) tables += (tables.empty() ? "" : ", ") + known->id();
  }
  throw ExportError(fmt::format("{} has no table to write as CSV. Panels with one: {}",
                                panel == nullptr ? "the window" : fmt::format("panel '{}'", panel->id()),
                                tables));
}

void choose_workspace(WorkspaceTabs& tabs, const std::string& id) {
  if (id.empty()) return;
  std::vector<std::string> ids;
  for (const WorkspaceLayout& layout : tabs.layouts()) ids.push_back(layout.id);
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end())
    throw UnknownName(suggest_names(fmt::format("there is no workspace '{}'", id), id, ids));
  tabs.activate(static_cast<std::size_t>(found - ids.begin()));
}

/// Sets a choice in one panel, or in every panel of the window that has the option.
void take_choice(const Workspace& workspace, const Panel* only, const std::string& choice) {
  std::string line = choice;
  if (const std::size_t sign = line.find('='); sign != std::string::npos) line[sign] = ' ';
  bool is_taken = false;
  std::string now;
  for (const auto& panel : workspace.panels()) {
    if (only != nullptr && panel.get() != only) continue;
    panel->take_option(line);
    for (std::string option : panel->options()) {
      is_taken |= option == line;
      option[option.find(' ')] = '=';
      now += (now.empty() ? "" : ", ") + option;
    }
  }
  if (is_taken) return;
  const std::string where = only == nullptr ? "in the window" : fmt::format("in panel '{}'", only->id());
  throw UnknownName(now.empty() ? fmt::format("there is nothing to choose {}", where)
                                : fmt::format("there is no '{}' to choose {}: now {}", choice, where, now));
}

void open_sessions(Explorer& explorer, const PictureOptions& options) {
  // Read first, so that an error of the file is an exception, not a message inside the picture.
  if (!options.recorded.empty()) {
    load_session(options.recorded);
    explorer.points().open_recorded(options.recorded);
  }
  // After the recorded one: the point in the panels is the session's.
  if (!options.session.empty()) {
    load_session(options.session);
    explorer.points().open_session(options.session);
  }
}

/// Throws std::runtime_error where what the worker was asked for takes too long.
class Patience {
 public:
  /// Whether an answer is awaited. Waits a little for it.
  bool waits(const Explorer& explorer) const {
    const std::string activity = explorer.activity();
    if (activity.empty()) return false;
    if (std::chrono::steady_clock::now() > end_) {
      throw std::runtime_error(
          fmt::format("the worker did not answer within {} s: {}", limit.count(), activity));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  }

 private:
  static constexpr std::chrono::seconds limit{180};
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + limit;
};

/// Shows the last point of the session in panels of one configuration, wherever it was measured.
void look_at_last_point(Explorer& explorer) {
  for (const std::vector<SharedMeasurement>* points :
       {&explorer.points().list(), &explorer.points().recorded()}) {
    if (points->empty()) continue;
    explorer.selection().start_at(*points->back());
    return explorer.shown().stop();
  }
}

/// Compares the session's first point with its last one, in panels of a comparison.
void compare_ends(Explorer& explorer) {
  const std::vector<SharedMeasurement>& own = explorer.points().list();
  explorer.board().get<ComparisonPair>().choose_ends(own.empty() ? explorer.points().recorded() : own);
}

/// Throws SessionError where a panel would show another configuration as if it were the session's.
void require_traceable_point(const Explorer& explorer) {
  const std::vector<SharedMeasurement>& own = explorer.points().list();
  const std::vector<SharedMeasurement>& points = own.empty() ? explorer.points().recorded() : own;
  if (points.empty()) throw SessionError("the session has no point: there is no configuration to trace");
  const std::string& kernel = points.back()->kernel;
  if (explorer.kernels().find(kernel) != nullptr) return;
  throw SessionError(fmt::format(
      "the session's last point is of the kernel '{}', which is neither in the catalogue nor a .cu file that "
      "can be read from this folder: measure it again here, or run this where it was measured",
      kernel));
}

/// Throws UnknownName where the kernel's file does not have the line.
void require_line(const Explorer& explorer, std::uint32_t line) {
  const std::vector<SharedMeasurement>& own = explorer.points().list();
  const std::vector<SharedMeasurement>& points = own.empty() ? explorer.points().recorded() : own;
  const KernelDeclaration* kernel = points.empty() ? nullptr : explorer.kernels().find(points.back()->kernel);
  if (kernel == nullptr) return;
  constexpr std::uint64_t largest_source = std::uint64_t{16} << 20U;
  const std::string text = read_regular_file(kernel->source_path, largest_source);
  const auto lines = std::ranges::count(text, '\n') + (text.empty() || text.ends_with('\n') ? 0 : 1);
  if (line > lines) {
    throw UnknownName(fmt::format("--line {}: there is no such line: {} has {} lines", line,
                                  kernel->source_path.filename().string(), lines));
  }
}

/// The window with a session in it.
struct Scene {
  Scene(const Installation& installation, const PictureOptions& options, std::vector<std::string> worker)
      : explorer(installation, worker_options(installation, std::move(worker)), {}, Measure::time_limit,
                 false),
        settings(settings_of(options)),
        workspace(explorer, settings),
        panel(choose_panel(workspace, options.panel)) {
    choose_workspace(workspace.tabs(), options.workspace);
    for (const std::string& choice : options.choices) take_choice(workspace, panel, choice);
    const Patience patience;
    while (patience.waits(explorer)) explorer.update();  // A session opens once the GPUs are known.
    open_sessions(explorer, options);
    compare_ends(explorer);
    choose_workspace(workspace.tabs(), options.workspace);  // A session of several kernels chose another one.
    if (!options.kernel_file.empty()) workspace.open_kernel(options.kernel_file);
    if (options.line != 0) require_line(explorer, options.line);
    if (!asks_worker()) return;
    if (panel != nullptr && panel->role() == PanelRole::opened_file) return;
    const bool has_session = !options.session.empty() || !options.recorded.empty();
    if (panel != nullptr && has_session) require_traceable_point(explorer);
    look_at_last_point(explorer);
    if (options.line != 0) explorer.board().get<MemoryFocus>().choose_line(options.line);
    if (!options.inputs.empty())
      explorer.board().get<BlockStepping>().choose_inputs(step_inputs_from(options.inputs));
    if (!options.step.empty()) explorer.board().get<BlockStepping>().begin_at(step_target_from(options.step));
  }

  static Settings settings_of(const PictureOptions& options) {
    Settings settings;
    settings.light = options.light;
    settings.first_task_done = true;
    return settings;
  }

  bool asks_worker() const {
    if (panel != nullptr) return panel->asks_worker();
    const auto asks = [](const auto& one) { return one->open && one->asks_worker(); };
    return std::any_of(workspace.panels().begin(), workspace.panels().end(), asks);
  }

  void draw() {
    if (panel != nullptr) {
      panel->show_alone(explorer);
    } else {
      workspace.draw();
    }
  }

  Explorer explorer;
  Settings settings;
  Workspace workspace;
  Panel* panel = nullptr;
};

/// With a worker only where something of it is drawn: it takes a while to start.
std::unique_ptr<Scene> set_scene(const Installation& installation, const PictureOptions& options) {
  auto scene = std::make_unique<Scene>(installation, options, std::vector<std::string>{});
  if (!options.worker.empty() && scene->asks_worker())
    scene = std::make_unique<Scene>(installation, options, options.worker);
  return scene;
}

}  // namespace

Json make_picture(const Installation& installation, const PictureOptions& options) {
  const ExportFormat format = export_format_of(options.to);
  const bool whole = options.panel == "window";
  const auto pixels = [&](int chosen, int usual) {
    return chosen > 0 ? chosen : static_cast<int>(static_cast<float>(usual) * options.scale);
  };
  const int width = pixels(options.width, whole ? 1280 : 960);
  const int height = pixels(options.height, whole ? 720 : 600);

  std::optional<Graphics> graphics;
  if (format == ExportFormat::png) graphics.emplace(Graphics::offscreen(width, height));
  Gui gui = graphics ? Gui(nullptr) : Gui(Gui::WithoutGraphics{});
  apply_theme(options.light ? ThemeKind::light : ThemeKind::dark, options.scale);

  const std::unique_ptr<Scene> scene = set_scene(installation, options);
  Panel* panel = scene->panel;
  if (format == ExportFormat::csv) require_table(panel, scene->workspace);

  const Patience patience;
  for (int frame = 0; frame < frames_to_settle; ++frame) {
    if (patience.waits(scene->explorer)) frame = 0;
    if (scene->explorer.update()) frame = 0;  // A panel takes a large session in several frames.
    gui.begin_frame(width, height);
    std::optional<ExactShapes> exact;
    if (format == ExportFormat::svg) exact.emplace();
    scene->draw();
    gui.end_frame();
  }
  switch (format) {
    case ExportFormat::png: {
      const Canvas canvas(width, height);
      canvas.bind();
      gui.paint(width, height);
      write_png(options.to, width, height);
      break;
    }
    case ExportFormat::svg:
      write_text(options.to,
                 to_svg(*ImGui::GetDrawData(), whole ? "Tilescope" : panel->title(), palette().background));
      break;
    case ExportFormat::csv:
      write_text(options.to, table_of(*panel));
      break;
  }
  return {{"file", options.to.string()},
          {"panel", options.panel},
          {"width", width},
          {"height", height},
          {"theme", options.light ? "light" : "dark"},
          {"renderer", graphics ? graphics->renderer() : "none"}};
}

}  // namespace tilescope
