#include "app/panels/code/source_search.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "base/text/search.hpp"

namespace tilescope {

void SourceSearch::update(const Columns& columns, std::uint64_t generation) {
  const bool is_new_text = text_ != found_text_;
  if (!is_new_text && generation == found_generation_) return;
  found_text_ = text_;
  found_generation_ = generation;
  const std::optional<Hit> before = current();
  hits_.clear();
  for (const auto& [column, lines] : columns) {
    for (const std::uint32_t row : find_rows(*lines, text_)) hits_.push_back({column, row});
  }
  const auto is_shown = [&](CodeColumn column) {
    return std::ranges::any_of(columns, [&](const auto& each) { return each.first == column; });
  };
  // Other lines of the same columns do not make it scroll, other columns are: what is counted must be seen.
  const bool is_left = before && !is_shown(before->column);
  if (before && !is_new_text && !is_left) {
    const auto place = [](const Hit& hit) { return std::pair(hit.column, hit.row); };
    const auto same = std::ranges::find(hits_, place(*before), place);
    if (same != hits_.end()) current_ = static_cast<std::size_t>(same - hits_.begin());
  }
  if (is_new_text || is_left || current_ >= hits_.size()) current_ = 0;
  moved_ = moved_ || ((is_new_text || is_left) && !hits_.empty());
}

std::optional<SourceSearch::Hit> SourceSearch::current() const {
  return hits_.empty() ? std::nullopt : std::optional(hits_[current_]);
}

std::optional<SourceSearch::Hit> SourceSearch::take_moved() {
  return std::exchange(moved_, false) ? current() : std::nullopt;
}

void SourceSearch::move(bool forward) {
  if (hits_.empty()) return;
  current_ = (current_ + (forward ? 1 : hits_.size() - 1)) % hits_.size();
  moved_ = true;
}

void SourceSearch::draw(float width) {
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_F, ImGuiInputFlags_RouteFocused)) wants_focus_ = true;
  if (ImGui::Shortcut(ImGuiKey_F3, ImGuiInputFlags_RouteFocused)) move(true);
  if (ImGui::Shortcut(ImGuiMod_Shift | ImGuiKey_F3, ImGuiInputFlags_RouteFocused)) move(false);
  if (std::exchange(wants_focus_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  const bool entered =
      ImGui::InputTextWithHint("##search", "Search (Ctrl+F)", &text_, ImGuiInputTextFlags_EnterReturnsTrue);
  landmark("source.search");
  help_tooltip("Enter or F3: next hit. Shift+F3: previous one.");
  if (entered) {
    move(!ImGui::GetIO().KeyShift);
    wants_focus_ = true;  // to go on with Enter
  }
  if (text_.empty()) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const auto number = [](std::size_t value) { return format_count(static_cast<std::int64_t>(value)); };
  text_muted(hits_.empty() ? "No hits" : fmt::format("{} of {}", number(current_ + 1), number(hits_.size())));
  landmark("source.hits");
  ImGui::BeginDisabled(hits_.empty());
  ImGui::SameLine();
  if (ImGui::ArrowButton("##previous", ImGuiDir_Up)) move(false);
  landmark("source.previous");
  ImGui::SameLine();
  if (ImGui::ArrowButton("##next", ImGuiDir_Down)) move(true);
  landmark("source.next");
  ImGui::EndDisabled();
}

}  // namespace tilescope
