#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilescope {

class Explorer;

/// Where a panel is docked in the first layout of a workspace.
enum class DockSlot { left, centre_top, centre_bottom, right, bottom };

/// One window inside the window. The base owns Begin and End, the size limits and whether it is open; a panel
/// draws its content and computes nothing (statistics, layouts and texts come from profiler and sessions).
class Panel {
 public:
  Panel(std::string id, std::string title, DockSlot slot);
  virtual ~Panel() = default;

  /// Begin, draw, End; nothing when closed.
  void show(Explorer& explorer);
  /// The same over the whole window, without a frame: for pictures of one panel.
  void show_alone(Explorer& explorer);
  /// Of ImGui's window: the title as it is shown, the id as it is remembered.
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

/// The list that the menu, the layout and the draw loop walk. A panel registers itself with one line in its
/// own file:
///   static const RegisterPanel register_heat_map_panel{[] { return std::make_unique<HeatMapPanel>(); }};
/// Two panels of one id stop the program at start, with both titles.
struct RegisterPanel {
  explicit RegisterPanel(std::function<std::unique_ptr<Panel>()> make);
};
std::vector<std::unique_ptr<Panel>> make_registered_panels();

}  // namespace tilescope
