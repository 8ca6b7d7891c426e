#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/export_format.hpp"
#include "app/gui/help_texts.hpp"
#include "app/gui/panel_role.hpp"
#include "app/gui/panel_size.hpp"

struct ImDrawData;
struct ImGuiWindow;

namespace tilescope {

class Explorer;

/// Place in which a panel is shown in this frame.
struct PanelPlace {
  /// The workspace's id. A panel has a window of its own in each, so that it keeps its place there; what ImGui
  /// remembers of its content (columns, zoom) is the same in all.
  std::string workspace;
  /// The dock node for a panel that was never shown in this workspace.
  unsigned dock = 0;
  /// Whether a panel that appears comes to the front of its tabs. Not when a whole workspace appears.
  bool takes_focus = true;
  /// False in a frame that is not painted: the window alone, without its content.
  bool has_content = true;
};

/// One window inside the window. The base class owns Begin and End, the size limits and whether it is open. A panel
/// draws its content and computes nothing: statistics, layouts and texts come from profiler and sessions.
class Panel {
 public:
  /// `least` is the size that the content has at least: in a smaller area it is scrolled. `role` is what the window
  /// looks the panel up by.
  Panel(std::string id, std::string title, PanelSize least, std::optional<PanelRole> role = {});
  virtual ~Panel() = default;

  /// Begin, draw, End; nothing when closed.
  void show(Explorer& explorer, const PanelPlace& place);
  /// Shows the panel over the whole window, without a frame: for pictures of one panel.
  void show_alone(Explorer& explorer);
  /// Name of the ImGui window: the title as it is shown, the id as it is remembered.
  std::string window_name(const std::string& workspace) const;

  /// Whether it draws what a worker answers, and nothing of a session alone.
  virtual bool asks_worker() const { return false; }
  /// Whether what it draws is of another configuration than the one under the sliders, which is awaited: that is drawn
  /// faint, with a note. Asked after draw().
  virtual bool is_outdated(const Explorer& explorer) const {
    static_cast<void>(explorer);
    return false;
  }
  /// Whether csv() has something to write.
  virtual bool has_table() const { return false; }
  /// The panel's table as the last frame drew it, as CSV.
  virtual std::string csv() const { return {}; }

  /// Draws the export formats of the panel as entries of a menu.
  void draw_export_items();
  void want_export(ExportFormat format) { wanted_export_ = format; }
  /// The export format that the user chose there since the last call.
  std::optional<ExportFormat> take_wanted_export() { return std::exchange(wanted_export_, std::nullopt); }
  /// Brings the panel to the front and hands over what it draws in the next frame, within show(). With `exact_shapes`
  /// it is drawn as to_svg needs it.
  void request_picture(bool exact_shapes, std::function<void(ImDrawData&)> take);

  /// Sets the text of the "?" on the panel's tab bar; a panel without a help has no "?".
  void set_help(PanelHelp help) { help_ = std::move(help); }

  const std::string& id() const { return id_; }
  const std::string& title() const { return title_; }
  const PanelSize& least_size() const { return least_; }
  std::optional<PanelRole> role() const { return role_; }
  /// Whether the mouse is over it, in the last frame that showed it.
  bool is_hovered() const { return hovered_; }
  /// In the workspace that is shown.
  bool open = true;

  /// The user's choices in the panel, a line each: kept with ImGui's settings, see KeepPanelOptions.
  virtual std::vector<std::string> options() const { return {}; }
  /// Takes one line of options(); one that it does not know is left out.
  virtual void take_option(const std::string& line) { static_cast<void>(line); }

 protected:
  virtual void draw(Explorer& explorer) = 0;

 private:
  struct PictureRequest {
    bool exact_shapes = false;
    std::function<void(ImDrawData&)> take;
  };
  void draw_content(Explorer& explorer);
  void hand_over_picture(ImGuiWindow& window);
  void draw_help(ImGuiWindow& window) const;

  std::string id_;
  std::string title_;
  PanelSize least_;
  std::optional<PanelRole> role_;
  PanelHelp help_;
  std::optional<ExportFormat> wanted_export_;
  std::optional<PictureRequest> picture_;
  bool hovered_ = false;
};

/// The list that the menu and the draw loop walk, by title. A panel registers itself with one line in its
/// own file:
///   static const RegisterPanel register_heat_map_panel{[] { return std::make_unique<HeatMapPanel>(); }};
/// Two panels with the same id or the same role stop the program at start, with both titles.
struct RegisterPanel {
  explicit RegisterPanel(std::function<std::unique_ptr<Panel>()> make);
};
std::vector<std::unique_ptr<Panel>> make_registered_panels();

}  // namespace tilescope
