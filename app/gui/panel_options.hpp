#pragma once

#include <memory>
#include <vector>

#include "app/gui/panel.hpp"

namespace tilescope {

/// Keeps the options of panels with ImGui's settings: written with the layout, read with it. Needs an ImGui context;
/// make it before the settings are loaded.
class KeepPanelOptions {
 public:
  /// `panels` must outlive it.
  explicit KeepPanelOptions(const std::vector<std::unique_ptr<Panel>>& panels);
  ~KeepPanelOptions();
  KeepPanelOptions(const KeepPanelOptions&) = delete;
  KeepPanelOptions& operator=(const KeepPanelOptions&) = delete;
};

}  // namespace tilescope
