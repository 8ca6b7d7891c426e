#include "app/window/command_palette.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

namespace {

constexpr const char* popup = "##command_palette";
constexpr std::size_t rows_shown = 12;

/// The title with its matched letters in another colour.
void draw_title(ImDrawList& list, ImVec2 at, const std::string& title, const FuzzyMatch& match,
                bool is_enabled) {
  const ImU32 plain = ImGui::GetColorU32(is_enabled ? palette().text : palette().muted);
  const ImU32 matched = ImGui::GetColorU32(is_enabled ? palette().accent : palette().muted);
  std::size_t from = 0;
  const auto draw = [&](std::size_t to, ImU32 color) {
    if (to == from) return;
    const char* begin = title.data() + from;
    const char* end = title.data() + to;
    list.AddText(at, color, begin, end);
    at.x += ImGui::CalcTextSize(begin, end).x;
    from = to;
  };
  for (const std::size_t position : match.positions) {
    draw(position, plain);
    draw(position + 1, matched);
  }
  draw(title.size(), plain);
}

}  // namespace

void CommandPalette::show(std::vector<Action> actions) {
  actions_ = std::move(actions);
  query_.clear();
  requested_ = true;
  search();
}

void CommandPalette::search() {
  rows_.clear();
  for (const Action& action : actions_) {
    if (auto match = fuzzy_match(query_, action.name())) rows_.push_back({&action, std::move(*match)});
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.match.score > b.match.score; });
  chosen_ = 0;
  scrolls_to_chosen_ = true;
}

void CommandPalette::move(int rows) {
  if (rows_.empty()) return;
  const int last = static_cast<int>(rows_.size()) - 1;
  chosen_ = static_cast<std::size_t>(std::clamp(static_cast<int>(chosen_) + rows, 0, last));
  scrolls_to_chosen_ = true;
}

void CommandPalette::draw() {
  if (std::exchange(requested_, false)) ImGui::OpenPopup(popup);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float width = std::min(620 * ui_scale(), viewport.WorkSize.x - 24 * ui_scale());
  ImGui::SetNextWindowPos({viewport.WorkPos.x + viewport.WorkSize.x / 2, viewport.WorkPos.y + 8 * ui_scale()},
                          ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup(popup, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) return;
  draw_input();
  draw_rows();
  if (to_run_ != nullptr || ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  // After the popup: what runs may open another one.
  if (const Action* action = std::exchange(to_run_, nullptr)) action->run();
}

void CommandPalette::draw_input() {
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  // The arrow keys would leave the input; a single line has no other use for them than a history.
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory;
  const auto arrows = [](ImGuiInputTextCallbackData* data) {
    static_cast<CommandPalette*>(data->UserData)->move(data->EventKey == ImGuiKey_UpArrow ? -1 : 1);
    return 0;
  };
  const bool entered =
      ImGui::InputTextWithHint("##query", "Search all commands", &query_, flags, arrows, this);
  landmark("palette.query");
  if (ImGui::IsItemEdited()) search();
  if (entered && chosen_ < rows_.size() && rows_[chosen_].action->is_enabled())
    to_run_ = rows_[chosen_].action;
  // A disabled command leaves the palette open, to be searched on.
  if (entered && to_run_ == nullptr) ImGui::SetKeyboardFocusHere(-1);
}

void CommandPalette::draw_rows() {
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().FramePadding.y;
  const std::size_t count = std::clamp<std::size_t>(rows_.size(), 1, rows_shown);
  const float room = 0.6F * ImGui::GetMainViewport()->WorkSize.y;
  const float height = std::min(row * static_cast<float>(count), room);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  if (ImGui::BeginChild("rows", {0, height})) {
    if (rows_.empty()) ImGui::TextDisabled("No command matches");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (draw_row(rows_[i], i)) to_run_ = rows_[i].action;
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

bool CommandPalette::draw_row(const Row& row, std::size_t index) {
  const bool is_enabled = row.action->is_enabled();
  const ImVec2 padding(8 * ui_scale(), ImGui::GetStyle().FramePadding.y);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(static_cast<int>(index));
  const bool clicked =
      ImGui::Selectable("##row", index == chosen_,
                        is_enabled ? ImGuiSelectableFlags_NoAutoClosePopups : ImGuiSelectableFlags_Disabled,
                        {0, ImGui::GetTextLineHeight() + 2 * padding.y});
  landmark("palette." + row.action->id);
  ImGui::PopID();
  if (index == chosen_ && std::exchange(scrolls_to_chosen_, false)) ImGui::SetScrollHereY();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_title(list, {at.x + padding.x, at.y + padding.y}, row.action->name(), row.match, is_enabled);
  const std::string shortcut = shortcut_text(row.action->shortcut);
  const float right = at.x + width - padding.x - ImGui::CalcTextSize(shortcut.c_str()).x;
  list.AddText({right, at.y + padding.y}, ImGui::GetColorU32(palette().muted), shortcut.c_str());
  return clicked;
}

}  // namespace tilescope
