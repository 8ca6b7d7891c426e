#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace tilescope {

/// A control over a row of values, for its keys.
struct ValueRow {
  std::size_t count = 0;
  /// `count` when none is chosen.
  std::size_t current = 0;
  std::function<bool(std::size_t)> is_open;
};

/// The value that left or right chooses in this frame, past those that are not open, while ImGui's last item has the
/// keyboard focus. Call it right after the item.
std::optional<std::size_t> step_with_arrows(const ValueRow& row);

}  // namespace tilescope
