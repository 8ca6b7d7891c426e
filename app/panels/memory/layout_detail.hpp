#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/views/memory/layout_table.hpp"

namespace tilescope {

struct LayoutDetailInput {
  const LayoutDetail& detail;
  /// Why the layout cannot be applied; "" where it can.
  std::string why_not;
  /// Whether another layout is shown than in the last frame: its heading comes into view.
  bool is_other = false;
  /// The change that *Apply* makes.
  std::string change = {};
  /// *Apply* compiles a file's kernel with the change, and only then is the layout counted.
  bool is_of_file = false;
};

struct LayoutDetailAction {
  bool applied = false;
  /// Into BlockRecording::sites.
  std::optional<std::uint32_t> site;
};

/// One layout in full: why it works or fails, what it does at each site, the expression to paste, the button to apply
/// it.
LayoutDetailAction draw_layout_detail(const LayoutDetailInput& input);

}  // namespace tilescope
