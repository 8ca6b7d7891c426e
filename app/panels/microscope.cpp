#include "profiler/views/microscope.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "app/explorer/explorer.hpp"
#include "app/panels/traced_block_header.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/panel.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/bank_picture.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/lane_marks.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/sector_picture.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/step_button.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/access_sites.hpp"
#include "profiler/views/block_text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// Of play.
constexpr float seconds_per_step = 0.3F;

class MicroscopePanel : public Panel {
 public:
  MicroscopePanel() : Panel("microscope", "Microscope", {400, 190}) {}

  bool asks_worker() const override { return true; }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void take_block(const std::shared_ptr<const TracedBlock>& block);
  void take_site(std::optional<std::uint32_t> site);
  void draw_no_access(Explorer& explorer) const;
  void draw_site_picker(MemoryFocus& focus);
  void draw_copy_picker(MemoryFocus& focus);
  void draw_steps(Explorer& explorer);
  void draw_slider(MemoryFocus& focus);
  void play(Explorer& explorer);
  void draw_words(Explorer& explorer, bool is_low) const;
  void draw_instruction(Explorer& explorer) const;
  void draw_passes(float room);
  void draw_picture(Explorer& explorer);
  void take_hover(MemoryFocus& focus, const AccessHover& hover) const;
  bool shows_all(float room) const;
  std::size_t executions() const { return block_->accesses_of[*site_].size(); }
  std::size_t execution(const MemoryFocus& focus) const {
    return std::min(focus.execution(), executions() - 1);
  }

  std::shared_ptr<const TracedBlock> block_;
  std::uint64_t focus_revision_ = ~std::uint64_t{0};
  std::optional<std::uint32_t> site_;
  TileFinder tiles_;
  /// The sites of the block, worst first.
  std::vector<AccessSiteRow> rows_;
  MicroscopeView view_;
  /// The instructions of the same access, the site among them.
  std::vector<std::uint32_t> copies_;
  /// Of the site: where it has the most excess.
  std::size_t worst_execution_ = 0;
  /// Chosen by the person; 0 for all passes, else the number of one. None: as many as there is room for.
  std::optional<std::size_t> pass_;
  bool plays_ = false;
  float since_step_ = 0;
};

void MicroscopePanel::draw(Explorer& explorer) {
  const auto block = traced_block_or_reason(explorer);
  if (!block) return;
  derive(explorer);
  if (!site_ || executions() == 0) return draw_no_access(explorer);
  // In a low panel the picture goes before words: the block is chosen in other panels too, and the reason is cut.
  const bool is_low = ImGui::GetContentRegionAvail().y < em() * 17;
  if (!is_low || block->window.truncated) {
    traced_block_header(explorer, *block);
    if (window_notes(block->window).empty()) same_line_if_fits(em() * 24);
  }
  draw_site_picker(explorer.memory_focus());
  draw_copy_picker(explorer.memory_focus());
  draw_steps(explorer);
  draw_words(explorer, is_low);
  draw_picture(explorer);
}

void MicroscopePanel::derive(const Explorer& explorer) {
  const auto block = explorer.block_trace().block();
  const MemoryFocus& focus = explorer.memory_focus();
  if (block == block_ && focus.revision() == focus_revision_) return;
  if (block != block_) take_block(block);
  focus_revision_ = focus.revision();
  const auto site = focus.site_in(*block_);
  if (site != site_) take_site(site);
  const auto access = focus.access_in(*block_);
  if (access) view_ = microscope_view(block_->window, tiles_, block_->window.accesses[*access]);
}

void MicroscopePanel::take_site(std::optional<std::uint32_t> site) {
  site_ = site;
  pass_.reset();
  copies_.clear();
  if (!site) return;
  copies_ = copies_of(block_->window, *site);
  const auto excess = [this](std::uint32_t index) {
    const WindowAccess& access = block_->window.accesses[index];
    return access.wavefronts - access.minimum;
  };
  const std::vector<std::uint32_t>& accesses = block_->accesses_of[*site];
  worst_execution_ =
      static_cast<std::size_t>(std::ranges::max_element(accesses, {}, excess) - accesses.begin());
}

void MicroscopePanel::take_block(const std::shared_ptr<const TracedBlock>& block) {
  block_ = block;
  site_.reset();
  tiles_ = TileFinder(block->tiles);
  rows_ = access_site_rows(memory_sites(*block), "");
}

void MicroscopePanel::draw_no_access(Explorer& explorer) const {
  traced_block_header(explorer, *block_);
  MemoryFocus& focus = explorer.memory_focus();
  if (block_->window.sites.empty()) {
    empty_state("No memory access",
                fmt::format("Block {} accesses neither shared nor global memory. Choose another block.",
                            format_count(static_cast<std::int64_t>(block_->block))));
    return;
  }
  const std::string where = format_count(static_cast<std::int64_t>(block_->block));
  if (empty_state(
          fmt::format("No access on line {}", focus.line()),
          fmt::format("Block {} makes no access to shared or global memory there. Choose another line or "
                      "another block.",
                      where),
          "Show the worst access"))
    focus.choose_line(0);
}

void MicroscopePanel::draw_site_picker(MemoryFocus& focus) {
  const auto current = std::ranges::find_if(
      rows_, [&](const AccessSiteRow& row) { return is_same_site(row, block_->window.sites[*site_]); });
  std::string preview = current == rows_.end() ? "" : site_label(*current);
  if (!focus.is_chosen()) preview = "Worst: " + preview;
  const float copies = copies_.size() > 1 ? em() * 9 + ImGui::GetStyle().ItemSpacing.x : 0;
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - copies, em() * 8));
  const MonoText mono;
  const bool is_open = ImGui::BeginCombo("##site", preview.c_str(), ImGuiComboFlags_HeightLarge);
  landmark("microscope.site");
  if (!is_open) return help_tooltip("The access that is shown, of all those of the block; worst first");
  if (ImGui::Selectable("Worst access of the block", !focus.is_chosen())) focus.choose_line(0);
  landmark("microscope.site.worst");
  ImGui::Separator();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const AccessSiteRow& row = rows_[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const bool is_current = focus.is_chosen() && current != rows_.end() && &row == &*current;
      if (ImGui::Selectable(site_label(row).c_str(), is_current)) focus.choose_site(window_site(row));
      landmark(fmt::format("microscope.site.{}", i));
      ImGui::PopID();
    }
  }
  ImGui::EndCombo();
}

/// Which of the instructions that the compiler made of the access.
void MicroscopePanel::draw_copy_picker(MemoryFocus& focus) {
  if (copies_.size() < 2) return;
  const auto at = std::ranges::find(copies_, *site_) - copies_.begin();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-FLT_MIN);
  const MonoText mono;
  const std::string preview = fmt::format("Copy {} of {}", at + 1, copies_.size());
  const bool is_open = ImGui::BeginCombo("##copy", preview.c_str(), ImGuiComboFlags_HeightLarge);
  landmark("microscope.copy");
  if (!is_open)
    return help_tooltip(
        fmt::format("The compiler made {} instructions of this access, as of an unrolled loop. Each "
                    "has its own executions.",
                    copies_.size()));
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const std::uint32_t site = copies_[i];
    const std::string label =
        fmt::format("PTX line {}  {} excess##{}", block_->window.sites[site].ptx_line,
                    format_count(static_cast<std::int64_t>(block_->totals[site].excess())), i);
    if (ImGui::Selectable(label.c_str(), site == *site_)) focus.choose_site(block_->window.sites[site]);
    landmark(fmt::format("microscope.copy.{}", i));
  }
  ImGui::EndCombo();
}

void MicroscopePanel::draw_steps(Explorer& explorer) {
  MemoryFocus& focus = explorer.memory_focus();
  const std::size_t at = execution(focus), last = executions() - 1;
  const float gap = em() * 0.25F;
  const auto button = [&](const char* id, StepIcon icon, const char* help, bool enabled) {
    const bool pressed = step_button(id, icon, help, enabled);
    ImGui::SameLine(0, gap);
    return pressed;
  };
  if (button("microscope.first", StepIcon::first, "First execution", at > 0)) focus.choose_execution(0);
  if (button("microscope.previous", StepIcon::previous, "Previous execution (left arrow on the slider)",
             at > 0))
    focus.choose_execution(at - 1);
  if (button("microscope.play", plays_ ? StepIcon::pause : StepIcon::play,
             plays_ ? "Stop" : "Step through the executions", last > 0)) {
    plays_ = !plays_;
    since_step_ = 0;
    if (plays_ && at == last) focus.choose_execution(0);
  }
  if (button("microscope.next", StepIcon::next, "Next execution (right arrow on the slider)", at < last))
    focus.choose_execution(at + 1);
  if (button("microscope.last", StepIcon::last, "Last execution", at < last)) focus.choose_execution(last);
  const bool is_worst = at == worst_execution_;
  ImGui::BeginDisabled(is_worst);
  if (ImGui::Button("Worst")) focus.choose_execution(worst_execution_);
  ImGui::EndDisabled();
  landmark("microscope.worst");
  help_tooltip(is_worst ? "This execution has the most excess of this access"
                        : "The execution with the most excess of this access");
  ImGui::SameLine(0, gap);
  draw_slider(focus);
  play(explorer);
}

void MicroscopePanel::draw_slider(MemoryFocus& focus) {
  const std::size_t at = execution(focus);
  int number = static_cast<int>(at) + 1;
  const std::string text = execution_words(at, executions(), view_.warp);
  ImGui::SetNextItemWidth(-FLT_MIN);
  // The format has no place for the number: the text already says it.
  if (ImGui::SliderInt("##execution", &number, 1, static_cast<int>(executions()), text.c_str(),
                       ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp))
    focus.choose_execution(static_cast<std::size_t>(number - 1));
  landmark("microscope.execution");
  if (const auto step = step_with_arrows({executions(), at, [](std::size_t) { return true; }}))
    focus.choose_execution(*step);
}

void MicroscopePanel::play(Explorer& explorer) {
  if (!plays_) return;
  MemoryFocus& focus = explorer.memory_focus();
  since_step_ += ImGui::GetIO().DeltaTime;
  if (since_step_ >= seconds_per_step) {
    since_step_ = 0;
    const std::size_t at = execution(focus);
    if (at + 1 < executions()) focus.choose_execution(at + 1);
  }
  plays_ = execution(focus) + 1 < executions();
  explorer.draw_again();
}

void MicroscopePanel::draw_words(Explorer& explorer, bool is_low) const {
  ImGui::PushFont(fonts().bold, 0);
  text_colored(view_.has_excess ? palette().error : palette().ok, view_.verdict);
  ImGui::PopFont();
  landmark("microscope.verdict");
  same_line_if_fits(ImGui::CalcTextSize(view_.cost_words.c_str()).x);
  text_muted(view_.cost_words);
  landmark("microscope.cost");
  help_tooltip(view_.rule);
  draw_instruction(explorer);
  if (is_low) {
    text_in_one_line(palette().text, view_.reason);
  } else {
    text_wrapped(palette().text, view_.reason);
  }
  landmark("microscope.reason");
  help_tooltip(is_low ? view_.reason + "\n\n" + view_.rule : view_.rule);
}

/// The line, its inlined calls and the instruction.
void MicroscopePanel::draw_instruction(Explorer& explorer) const {
  const std::string place = place_words(view_.site);
  same_line_if_fits(ImGui::CalcTextSize(place.c_str()).x + em() * 5);
  const MonoText mono;
  if (view_.site.line == 0) {
    text_muted(place);
  } else if (line_link("line", place, palette().accent)) {
    explorer.show_line(view_.site.line);
  }
  landmark("microscope.line");
  std::string chain;
  for (const std::string& call : view_.site.inlined) chain += "\n" + call;
  help_tooltip(view_.title + (chain.empty() ? "" : "\nInlined, innermost first:" + chain));
  ImGui::SameLine();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({room, ImGui::GetTextLineHeight()});
  landmark("microscope.instruction");
  ImGui::PushClipRect(corner, {corner.x + room, corner.y + ImGui::GetTextLineHeight()}, true);
  ImGui::GetWindowDrawList()->AddText(corner, to_u32(palette().muted), view_.instruction.c_str());
  ImGui::PopClipRect();
  help_tooltip(view_.instruction + (chain.empty() ? "" : "\nInlined, innermost first:" + chain));
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
  if (action.chosen) pass_ = *action.chosen;
}

void MicroscopePanel::draw_picture(Explorer& explorer) {
  MemoryFocus& focus = explorer.memory_focus();
  const bool has_choice = view_.shared.passes.size() > 1;
  if (has_choice) draw_passes(ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing());
  draw_role_legend(view_, has_choice);
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
  const std::size_t at = execution(focus);
  if (const auto step = step_with_arrows({executions(), at, [](std::size_t) { return true; }}))
    focus.choose_execution(*step);
  take_hover(focus, hover);
  ImGui::EndChild();
}

void MicroscopePanel::take_hover(MemoryFocus& focus, const AccessHover& hover) const {
  std::vector<TextPair> lines;
  if (hover.word) {
    constexpr std::uint64_t word_bytes = 4;
    focus.hover(hover.word->word * word_bytes);
    lines = word_details(view_, tiles_, *hover.word);
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

}  // namespace

}  // namespace tilescope
