#include "profiler/views/memory/microscope.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/memory/microscope_controls.hpp"
#include "app/panels/memory/recorded_block_header.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/bank_picture.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/lane_marks.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/sector_picture.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/access_reason.hpp"
#include "profiler/views/memory/access_sites.hpp"
#include "profiler/views/memory/block_text.hpp"

namespace tilescope {

namespace {

// Room for the lanes and the reason.
constexpr PanelSize smallest{400, 190};

class MicroscopePanel : public Panel {
 public:
  MicroscopePanel() : Panel("microscope", "Microscope", smallest, PanelRole::line_accesses) {}
  /// Draws a block of the opened file's kernel.
  struct OfFile {};
  explicit MicroscopePanel(OfFile /*unused*/)
      : Panel("file-microscope", "Microscope (file)", smallest), tag_(block_of_file) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    const auto& recorder = explorer.board().get<BlockRecorder>(tag_);
    return recorder.shown() && recorder.is_outdated();
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void take_site(std::uint32_t site);
  void draw_no_access(Explorer& explorer) const;
  void draw_words(Explorer& explorer, bool is_low);
  void draw_reason();
  void draw_instruction(Explorer& explorer, bool is_low) const;
  void draw_passes(float room);
  void draw_picture(Explorer& explorer);
  void take_hover(MemoryFocus& focus, const AccessHover& hover) const;
  bool shows_all(float room) const;

  bool is_of_file() const { return !tag_.empty(); }
  MemoryFocus& focus(Explorer& explorer) const { return explorer.board().get<MemoryFocus>(tag_); }

  /// "", or block_of_file.
  std::string tag_;
  LookedAt at_;
  /// The block has an access to look at.
  bool has_site_ = false;
  std::uint64_t focus_revision_ = ~std::uint64_t{0};
  TileFinder tiles_;
  MicroscopeView view_;
  /// Chosen by the user; 0 for all passes, else the number of one. None: as many as there is room for.
  std::optional<std::size_t> pass_;
  /// Longest reason of the site; see longest_reason().
  std::string longest_reason_;
  /// The largest that a reason of the site took, at a width of the panel: what lies below it does not jump. [px]
  ImVec2 reason_room_{0, 0};
  ExecutionSteps steps_;
};

void MicroscopePanel::draw(Explorer& explorer) {
  const auto block = recorded_block_or_reason(explorer, tag_);
  if (!block) return;
  derive(explorer);
  if (!has_site_) return draw_no_access(explorer);
  // In a low panel the picture goes before words, but for the reason: the block is chosen in other panels too.
  const bool is_low = ImGui::GetContentRegionAvail().y < em() * 17;
  if (!is_low || block->recording.truncated) {
    if (!recorded_block_header(explorer, *block, tag_)) same_line_if_fits(em() * 24);
  }
  draw_site_picker(focus(explorer), at_);
  draw_copy_picker(focus(explorer), at_);
  steps_.draw(explorer, focus(explorer), at_, view_.warp);
  draw_words(explorer, is_low);
  draw_picture(explorer);
}

void MicroscopePanel::derive(const Explorer& explorer) {
  const auto block = explorer.board().get<BlockRecorder>(tag_).shown();
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>(tag_);
  if (block == at_.block && focus.revision() == focus_revision_) return;
  focus_revision_ = focus.revision();
  const bool is_new = block != at_.block;
  if (is_new) {
    at_.block = block;
    at_.rows = access_site_rows(memory_sites(*block), "");
    tiles_ = TileFinder(block->tiles, block->recording.arrays);
  }
  const auto access = focus.access_in(*block);
  const bool had_site = std::exchange(has_site_, access.has_value());
  if (!access) return;
  const std::uint32_t site = block->recording.accesses[*access].site;
  if (is_new || !had_site || site != at_.site) take_site(site);
  view_ = microscope_view(block->recording, tiles_, block->recording.accesses[*access]);
}

void MicroscopePanel::take_site(std::uint32_t site) {
  at_.site = site;
  at_.copies = copies_of(at_.block->recording, site);
  pass_.reset();
  longest_reason_ = longest_reason(at_.block->recording, tiles_, at_.block->accesses_of[site]);
  reason_room_ = {0, 0};
}

void MicroscopePanel::draw_no_access(Explorer& explorer) const {
  recorded_block_header(explorer, *at_.block, tag_);
  MemoryFocus& focus = this->focus(explorer);
  const MissingAccess missing =
      missing_access(at_.block->recording, at_.block->block, focus.chosen_site(), focus.line());
  const bool has_worst = focus.is_chosen() && at_.block->worst_site().has_value();
  if (empty_state(missing.heading, missing.text, has_worst ? "Show the worst access" : ""))
    focus.choose_line(0);
}

void MicroscopePanel::draw_words(Explorer& explorer, bool is_low) {
  ImGui::PushFont(fonts().bold, 0);
  text_colored(view_.has_excess ? palette().error : palette().ok, view_.verdict);
  ImGui::PopFont();
  landmark("microscope.verdict");
  same_line_if_fits(ImGui::CalcTextSize(view_.cost_words.c_str()).x);
  text_muted(view_.cost_words);
  landmark("microscope.cost");
  help_tooltip(view_.rule);
  draw_instruction(explorer, is_low);
  draw_reason();
}

/// In room for the longest reason of the site: what lies below stays in its place.
void MicroscopePanel::draw_reason() {
  const std::optional<std::size_t> pass = pass_.value_or(0) == 0 ? std::nullopt : std::optional(*pass_ - 1);
  const std::string text = pass_reason(view_, pass);
  const float width = ImGui::GetContentRegionAvail().x, top = ImGui::GetCursorPosY();
  const auto height = [&](const std::string& of) {
    return ImGui::CalcTextSize(of.data(), of.data() + of.size(), false, width).y;
  };
  if (reason_room_.x != width) reason_room_ = {width, height(longest_reason_)};
  reason_room_.y = std::max(reason_room_.y, height(text));
  text_wrapped(palette().text, text);
  landmark("microscope.reason");
  help_tooltip(view_.rule);
  ImGui::SetCursorPosY(top);
  ImGui::Dummy({0, reason_room_.y});
}

/// The line, its inlined calls and the instruction.
void MicroscopePanel::draw_instruction(Explorer& explorer, bool is_low) const {
  const std::string place = place_words(view_.site);
  same_line_if_fits(ImGui::CalcTextSize(place.c_str()).x + em() * 5);
  const MonoText mono;
  // The panel Source shows the kernel under the sliders.
  if (view_.site.line == 0 || is_of_file()) {
    text_muted(place);
  } else if (line_link("line", place, palette().accent)) {
    focus(explorer).choose_site(view_.site);
    explorer.line_shown();
  }
  landmark("microscope.line");
  std::string chain;
  for (const std::string& call : view_.site.inlined) chain += "\n" + call;
  if (!chain.empty()) chain = "\nInlined, innermost first:" + chain;
  help_tooltip(view_.title + (is_low ? "\n" + view_.instruction : "") + chain);
  if (is_low) return;
  ImGui::SameLine();
  text_in_one_line(palette().muted, view_.instruction);
  landmark("microscope.instruction");
  help_tooltip(view_.instruction + chain);
}

bool MicroscopePanel::shows_all(float room) const {
  if (pass_) return *pass_ == 0;
  return height_of_banks(view_, std::nullopt) <= room;
}

/// Which passes are drawn, where there are several.
void MicroscopePanel::draw_passes(float room) {
  const std::size_t count = view_.shared.passes.size();
  SegmentedChoice choice;
  choice.id = "pass";
  choice.segments.push_back({"All", "microscope.passes.all", ""});
  // Past L1 there may be a line for each lane.
  constexpr std::size_t most_segments = 8;
  for (std::size_t i = 0; i < std::min(count, most_segments); ++i)
    choice.segments.push_back({view_.pass_name(i), fmt::format("microscope.passes.{}", i), ""});
  choice.current = shows_all(room) ? 0 : pass_.value_or(view_.worst_pass() + 1);
  choice.fills_width = false;
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) pass_ = action.chosen;
}

void MicroscopePanel::draw_picture(Explorer& explorer) {
  MemoryFocus& focus = this->focus(explorer);
  const bool has_choice = view_.shared.passes.size() > 1;
  const float below = ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing();
  if (has_choice) draw_passes(below);
  draw_role_legend(view_, {has_choice, has_choice && !shows_all(below)});
  if (!view_.site.is_shared) draw_byte_legend();
  const float room = std::max(ImGui::GetContentRegionAvail().y, em() * 6);
  if (!ImGui::BeginChild("picture", {0, room}, ImGuiChildFlags_NavFlattened)) return ImGui::EndChild();
  AccessHover hover;
  if (view_.site.is_shared) {
    const auto byte = focus.hovered_byte();
    BankPicture picture{view_, std::nullopt, byte ? view_.lanes_at(*byte) : 0};
    if (!shows_all(room)) picture.pass = pass_.value_or(view_.worst_pass() + 1) - 1;
    hover = bank_picture(picture, room - 1);
  } else {
    hover = sector_picture({view_}, room - 1);
  }
  const std::size_t now = at_.execution(focus);
  if (const auto step = step_with_arrows({at_.executions(), now, [](std::size_t) { return true; }}))
    focus.choose_execution(*step);
  take_hover(focus, hover);
  ImGui::EndChild();
}

void MicroscopePanel::take_hover(MemoryFocus& focus, const AccessHover& hover) const {
  std::vector<TextPair> lines;
  if (hover.word) {
    constexpr std::uint64_t word_bytes = 4;
    focus.hover(hover.word->word * word_bytes);
    lines = word_details(tiles_, *hover.word);
  } else if (hover.sector) {
    lines = sector_details(view_.global.sectors[*hover.sector]);
  } else if (hover.lane) {
    const LaneView& lane = view_.lanes[*hover.lane];
    if (view_.site.is_shared && lane.role != LaneRole::idle) focus.hover(lane.address);
    lines = lane_details(view_, *hover.lane);
  }
  if (lines.empty() || !ImGui::BeginTooltip()) return;
  tooltip_body(lines.front().first + " " + lines.front().second, {lines.begin() + 1, lines.end()}, "");
  ImGui::EndTooltip();
}

const RegisterPanel register_microscope_panel{[] { return std::make_unique<MicroscopePanel>(); }};
const RegisterPanel register_file_microscope{
    [] { return std::make_unique<MicroscopePanel>(MicroscopePanel::OfFile()); }};

}  // namespace

}  // namespace tilescope
