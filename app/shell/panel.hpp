#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilescope {

class Explorer;

/// The place of a panel in the first layout of a workspace.
enum class DockSlot { left, centre_top, centre_bottom, right, bottom };

/// One window inside the window. The base class owns Begin and End, the size limits and whether it is open. A panel
/// draws its content and computes nothing: statistics, layouts and texts come from profiler and sessions.
class Panel {
 public:
  Panel(std::string id, std::string title, DockSlot slot);
  virtual ~Panel() = default;

  /// Begin, draw, End; nothing when closed.
  void show(Explorer& explorer);
  /// The same, filling the whole window without a frame, for pictures of one panel.
  void show_alone(Explorer& explorer);
  /// The name of ImGui's window: the title that is shown and the id that ImGui stores.
  std::string window_name() const;

  const std::string& id() const { return id_; }
  const std::string& title() const { return title_; }
  DockSlot slot() const { return slot_; }
  bool open = true;

 protected:
  virtual void draw(Explorer& explorer) = 0;

 private:
  std::string id_;
  std::string title_;
  DockSlot slot_;
};

/// The list of panels for the menu, the layout and the draw loop. A panel registers itself with one line in its own
/// file:
///   static const RegisterPanel register_heat_map_panel{[] { return std::make_unique<HeatMapPanel>(); }};
/// Two panels with the same id stop the program at start, with both titles.
struct RegisterPanel {
  explicit RegisterPanel(std::function<std::unique_ptr<Panel>()> make);
};
std::vector<std::unique_ptr<Panel>> make_registered_panels();

}  // namespace tilescope
