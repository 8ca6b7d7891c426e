#include "app/shell/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/shell/graphics.hpp"
#include "app/shell/gui.hpp"
#include "app/shell/svg.hpp"
#include "app/shell/workspace.hpp"

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

  Explorer explorer(installation, {});
  open_sessions(explorer, options);
  Settings settings;
  settings.light = options.light;
  settings.first_task_done = true;
  Workspace workspace(explorer, settings);
  Panel* panel = choose_panel(workspace, options.panel);
  if (format == ExportFormat::csv) require_table(panel, workspace);
  choose_workspace(workspace.tabs(), options.workspace);

  std::optional<Canvas> canvas;
  if (graphics) canvas.emplace(width, height);
  for (int frame = 0; frame < frames_to_settle; ++frame) {
    if (explorer.update()) frame = 0;  // A panel takes a large session in several frames.
    gui.begin_frame(width, height);
    std::optional<ExactShapes> exact;
    if (format == ExportFormat::svg) exact.emplace();
    if (panel != nullptr) {
      panel->show_alone(explorer);
    } else {
      workspace.draw();
    }
    gui.end_frame();
    if (!canvas) continue;
    canvas->bind();
    gui.paint(width, height);
  }
  switch (format) {
    case ExportFormat::png:
      write_png(options.to, width, height);
      break;
    case ExportFormat::svg:
      write_text(options.to,
                 to_svg(*ImGui::GetDrawData(), whole ? "Tilescope" : panel->title(), palette().background));
      break;
    case ExportFormat::csv:
      write_text(options.to, panel->csv());
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
