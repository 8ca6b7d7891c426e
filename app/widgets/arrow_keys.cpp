#include "app/widgets/arrow_keys.hpp"

#include <imgui.h>
#include <imgui_internal.h>

namespace tilescope {

namespace {

/// The next open value in a direction, or the current one.
std::size_t next_open(const ValueRow& row, int direction) {
  const auto count = static_cast<int>(row.count);
  for (int value = static_cast<int>(row.current) + direction; value >= 0 && value < count;
       value += direction) {
    if (row.is_open(static_cast<std::size_t>(value))) return static_cast<std::size_t>(value);
  }
  return row.current;
}

}  // namespace

std::optional<std::size_t> step_with_arrows(const ValueRow& row) {
  if (!ImGui::IsItemFocused()) return std::nullopt;
  std::optional<std::size_t> chosen;
  // Without key ownership the arrows would also move the focus to the neighbouring item.
  const ImGuiID id = ImGui::GetItemID();
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
    ImGui::SetKeyOwner(key, id);
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id)) continue;
    const std::size_t value = next_open(row, key == ImGuiKey_LeftArrow ? -1 : 1);
    if (value != row.current) chosen = value;
  }
  return chosen;
}

}  // namespace tilescope
