#pragma once

#include <map>
#include <string>

namespace tilescope {

/// [px] of a screen whose scale is 1.
struct PanelSize {
  double width = 0;
  double height = 0;

  bool operator==(const PanelSize&) const = default;
};
/// The least size that each panel needs, by the panel's id.
using LeastSizes = std::map<std::string, PanelSize>;

}  // namespace tilescope
