#include "app/panels/step/shared_contents_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/step/step_stop.hpp"
#include "app/widgets/bank_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

namespace {

constexpr const char* menu_id = "word";

void legend_entry(WordState state, const std::string& words) {
  const float side = std::round(em() * 0.7F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = std::round(at.y + (ImGui::GetTextLineHeight() - side) / 2);
  const ImVec4 color = wash(palette().series[0], content_strength(state));
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, to_u32(color));
  ImGui::GetWindowDrawList()->AddRect({at.x, top}, {at.x + side, top + side}, to_u32(palette().muted));
  ImGui::Dummy({side, ImGui::GetTextLineHeight()});
  ImGui::SameLine(0, em() * 0.4F);
  text_muted(words);
}

std::string counted(std::size_t words, const char* what) {
  return format_count(static_cast<std::int64_t>(words)) + " " + what;
}

}  // namespace

bool SharedContentsView::update(Explorer& explorer, const BankGrid& grid) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>(tag_);
  stepping.want_shared(true);
  const std::shared_ptr<const StepStop> stop = step_stop_or_reason(explorer, tag_);
  if (!stop) {
    stop_ = nullptr;
    return false;
  }
  // A stop that was requested earlier has no words yet: the stop before keeps its own for a moment.
  if (stop == stop_ || stop->shared_words.empty()) return stop_ != nullptr;
  if (!tag_.empty() && !lie_as_stepped(grid, stop->arrays)) {
    empty_state(
        "Contents not shown",
        "Stepping executes the kernel's PTX, in which the arrays lie at other places than in the machine "
        "code that is shown here.");
    return false;
  }
  const bool is_half = explorer.selection().experiment().shape.dtype == DataType::fp16;
  contents_ = shared_contents(*stop, stepping.words_before(),
                              is_half ? reference::Format::fp16 : reference::Format::bf16);
  stop_ = stop;
  ++revision_;
  return true;
}

void SharedContentsView::draw_header(const Explorer& explorer) const {
  const BlockStepping& stepping = explorer.board().get<BlockStepping>(tag_);
  ImGui::AlignTextToFramePadding();
  const std::shared_ptr<const StepStop> stop = stepping.stop();
  const std::string place = stop ? ". " + round_words(*stop) : "";
  text_muted(fmt::format("Block {}{}, PTX", stepping.block(), place));
  landmark("shared_memory.place");
  help_tooltip(std::string("The bytes that lie in shared memory where the play head stands. Move it in ") +
               (tag_.empty() ? "the panel Execution" : "Step of the panel Kernel file") +
               ". Right button on a word: to the next write to it.");
}

void SharedContentsView::draw_legend() const {
  ImGui::BeginGroup();
  legend_entry(WordState::changed, counted(contents_.changes, "changed"));
  ImGui::SameLine(0, em());
  legend_entry(WordState::written, "written");
  ImGui::SameLine(0, em());
  legend_entry(WordState::unwritten, counted(contents_.unwritten, "unwritten"));
  ImGui::EndGroup();
  landmark("shared_memory.changes");
  help_tooltip(
      "Words of 4 B. Changed: since the stop before this one. Unwritten: nothing was written there yet.");
}

void SharedContentsView::draw_menu(Explorer& explorer, std::optional<std::int64_t> hovered) {
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    byte_ = static_cast<std::uint64_t>(*hovered - *hovered % bank_word_bytes);
    ImGui::OpenPopup(menu_id);
  }
  if (!ImGui::BeginPopup(menu_id)) return;
  BlockStepping& stepping = explorer.board().get<BlockStepping>(tag_);
  text_muted(fmt::format("Word at byte {}", format_count(static_cast<std::int64_t>(byte_))));
  ImGui::Separator();
  StepTarget write;
  write.kind = StepTarget::Kind::write;
  write.number = static_cast<std::int64_t>(byte_);
  if (ImGui::MenuItem("To the next write")) stepping.go(write);
  landmark("shared_memory.next_write");
  write.backwards = true;
  if (ImGui::MenuItem("Back to the last write")) stepping.go(write);
  landmark("shared_memory.last_write");
  if (ImGui::MenuItem("Breakpoint on writes", nullptr, stepping.watched_bytes().contains(byte_)))
    stepping.toggle_watch(byte_);
  landmark("shared_memory.watch");
  ImGui::EndPopup();
}

void draw_held_rows(const SharedContents& contents, const std::string& part) {
  const auto tile = std::ranges::find(contents.tiles, part, &TileStop::name);
  const bool is_known = tile != contents.tiles.end() && !tile->rows.empty();
  const std::string words = is_known ? contents_words(*tile) : "not declared";
  text_in_one_line(is_known ? palette().text : palette().muted, words);
  help_tooltip(is_known ? words + ". Rows of Q, K and V are found by comparing bytes." : "");
}

}  // namespace tilescope
