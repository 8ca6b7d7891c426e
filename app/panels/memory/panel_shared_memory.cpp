#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/memory/microscope_controls.hpp"
#include "app/panels/memory/recorded_block_header.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/panels/step/shared_contents_view.hpp"
#include "app/widgets/bank_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/bank_grid.hpp"
#include "profiler/views/memory/bank_traffic.hpp"
#include "profiler/views/memory/block_text.hpp"

namespace tilescope {

namespace {

const std::vector<std::string> colorings = {"tiles", "reads", "writes", "contents"};
/// The play head has no access in focus.
const std::vector<TouchedWord> no_access;

constexpr PanelSize smallest_grid{430, 190};

class SharedMemoryPanel : public Panel {
 public:
  SharedMemoryPanel() : Panel("shared-memory", "Shared memory", smallest_grid) {}
  /// Draws a block of the opened file's kernel.
  struct OfFile {};
  explicit SharedMemoryPanel(OfFile /*unused*/)
      : Panel("file-shared-memory", "Shared memory (file)", smallest_grid),
        tag_(block_of_file),
        contents_(tag_) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    if (shows_contents() && explorer.board().get<BlockStepping>(tag_).is_outdated()) return true;
    const auto& recorder = explorer.board().get<BlockRecorder>(tag_);
    return recorder.shown() && recorder.is_outdated();
  }
  bool has_table() const override { return true; }
  std::string csv() const override { return has_block_ ? bank_grid_csv(grid_) : ""; }

  std::vector<std::string> options() const override {
    return {"coloring " + colorings[static_cast<std::size_t>(coloring_)]};
  }
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  bool is_of_file() const { return !tag_.empty(); }
  bool shows_contents() const { return coloring_ == BankGridColoring::contents; }
  void derive(const Explorer& explorer, const std::shared_ptr<const RecordedBlock>& recorded);
  void take_block(const std::shared_ptr<const RecordedBlock>& recorded);
  /// Header of the column beside a part's name while contents are shown.
  const char* held_header() const { return is_of_file() ? "Type" : "Holds"; }
  void draw_controls(Explorer& explorer, const RecordedBlock& recorded);
  void draw_site(Explorer& explorer);
  void draw_notes(const RecordedBlock& recorded) const;
  void draw_grid(Explorer& explorer, ImVec2 size);
  BankGridContents grid_contents(const Explorer& explorer) const;
  void draw_tooltip(std::int64_t byte) const;
  void draw_parts(ImVec2 size);
  void draw_parts_header(bool has_extents) const;
  void draw_part(std::size_t index, bool has_extents);
  void draw_total(bool has_extents) const;
  void show_part(std::size_t index);
  void draw_last_line();
  void draw_legend() const;

  /// "", or block_of_file.
  std::string tag_;
  BankGridColoring coloring_ = BankGridColoring::tiles;
  BankGrid grid_;
  /// With the accesses to shared memory alone.
  LookedAt at_;
  std::vector<TouchedWord> touched_;
  std::string marked_;
  // Else what was derived last is kept, for the next one of its kernel.
  bool has_block_ = false;
  // Block that they were derived from.
  std::shared_ptr<const RecordedBlock> derived_;
  std::uint64_t revision_ = 0, focus_revision_ = 0;

  SharedContentsView contents_;
  BankGridWidget widget_;
  // The part under the mouse in the list.
  std::optional<std::size_t> highlighted_;
};

void SharedMemoryPanel::take_option(const std::string& line) {
  for (std::size_t i = 0; i < colorings.size(); ++i) {
    if (line == "coloring " + colorings[i]) coloring_ = static_cast<BankGridColoring>(i);
  }
}

std::string why_none(const RecordedBlock& recorded) {
  if (recorded.is_of_file()) return "The opened kernel uses no shared memory in this launch.";
  return recorded.experiment.kernel +
         " uses no shared memory in this configuration. Kernels of the ladder from rung 2 on stage tiles of "
         "K "
         "and V there.";
}

void SharedMemoryPanel::draw(Explorer& explorer) {
  const std::shared_ptr<const RecordedBlock> recorded = recorded_block_or_reason(explorer, tag_);
  has_block_ = recorded != nullptr;
  if (!recorded) return;
  derive(explorer, recorded);
  draw_controls(explorer, *recorded);
  if (recorded->shared_bytes() == 0) {
    empty_state("No shared memory", why_none(*recorded));
    return;
  }
  draw_notes(*recorded);
  if (is_of_file() && !shows_contents()) draw_site(explorer);
  if (shows_contents() && !contents_.update(explorer, grid_)) return;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float list = std::min(em() * (space.x > em() * 50 ? 21.0F : 13.5F), space.x * 0.45F);
  const float lines = coloring_ == BankGridColoring::tiles || shows_contents() ? 1 : 2;
  const float height = std::max(em() * 4, space.y - lines * ImGui::GetTextLineHeightWithSpacing());
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({corner.x + space.x - list, corner.y});
  draw_parts({list, height});
  ImGui::SetCursorScreenPos(corner);
  draw_grid(explorer, {space.x - list - gap, height});
  draw_last_line();
}

void SharedMemoryPanel::derive(const Explorer& explorer,
                               const std::shared_ptr<const RecordedBlock>& recorded) {
  const bool is_new = derived_ != recorded;
  if (is_new) take_block(recorded);
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>(tag_);
  if (!is_new && focus.revision() == focus_revision_) return;
  focus_revision_ = focus.revision();
  touched_.clear();
  const std::optional<std::uint32_t> access = focus.access_in(*recorded);
  if (!access) {
    marked_ = missing_access(recorded->recording, recorded->block, focus.chosen_site(), focus.line()).heading;
    return;
  }
  at_.site = recorded->recording.accesses[*access].site;
  touched_ = touched_words(recorded->recording, recorded->recording.accesses[*access]);
  marked_ = marked_words(recorded->recording, recorded->recording.accesses[*access]);
  if (marked_.empty()) marked_ = "The access in focus is one of global memory.";
}

/// Zoom and front part survive a slider move if the part still exists.
void SharedMemoryPanel::take_block(const std::shared_ptr<const RecordedBlock>& recorded) {
  const bool same_kernel = derived_ && derived_->kernel() == recorded->kernel();
  std::string front;
  if (same_kernel && grid_.front()) front = grid_.parts()[*grid_.front()].name;
  grid_ = BankGrid(static_cast<std::int64_t>(recorded->static_shared_bytes),
                   static_cast<std::int64_t>(recorded->dynamic_shared_bytes), recorded->tiles,
                   recorded->recording.arrays, recorded->source_tiles);
  for (std::size_t i = 0; i < grid_.parts().size(); ++i) {
    if (!front.empty() && grid_.parts()[i].name == front) grid_.bring_to_front(i);
  }
  if (!same_kernel) widget_.zoom().reset();
  at_.block = recorded;
  at_.rows = access_site_rows(memory_sites(*recorded), "");
  std::erase_if(at_.rows, [](const AccessSiteRow& row) { return !row.is_shared(); });
  derived_ = recorded;
  ++revision_;
}

void SharedMemoryPanel::draw_controls(Explorer& explorer, const RecordedBlock& recorded) {
  if (shows_contents()) {
    contents_.draw_header(explorer);
  } else {
    recorded_block_header(explorer, recorded, tag_);
  }
  if (recorded.shared_bytes() == 0) return;
  SegmentedChoice choice;
  choice.id = "coloring";
  choice.segments = {{is_of_file() ? "Arrays" : "Tiles", "shared_memory.tiles", ""},
                     {"Reads", "shared_memory.reads", ""},
                     {"Writes", "shared_memory.writes", ""},
                     {"Contents", "shared_memory.contents", ""}};
  choice.current = static_cast<std::size_t>(coloring_);
  choice.fills_width = false;
  choice.height = ImGui::GetFrameHeight();
  same_line_if_fits(em() * 16);
  const SegmentedAction action = segmented_choice(choice);
  if (!action.chosen) return;
  coloring_ = static_cast<BankGridColoring>(*action.chosen);
  explorer.board().get<BlockStepping>(tag_).want_shared(shows_contents());
}

/// The access that the grid marks: a file has no other panel with all of them.
void SharedMemoryPanel::draw_site(Explorer& explorer) {
  if (at_.rows.empty()) return;
  draw_site_picker(explorer.board().get<MemoryFocus>(tag_), at_);
}

void SharedMemoryPanel::draw_notes(const RecordedBlock& recorded) const {
  if (!recorded.tiles_problem.empty()) text_wrapped(palette().warning, recorded.tiles_problem);
  if (is_of_file()) return;
  const std::string undeclared = undeclared_words(grid_);
  if (undeclared.empty() || !recorded.tiles_problem.empty()) return;
  text_wrapped(palette().muted, undeclared);
  help_tooltip(
      "\"tiles\" in the kernel's declaration, with \"rows\", \"columns\" and \"index\", say which "
      "element lies where: kernels/README.md.");
}

BankGridContents SharedMemoryPanel::grid_contents(const Explorer& explorer) const {
  BankGridContents contents{grid_, shows_contents() ? no_access : touched_};
  contents.revision = revision_;
  contents.coloring = coloring_;
  contents.counts = &derived_->words;
  contents.highlighted_part = highlighted_;
  if (const auto byte = explorer.board().get<MemoryFocus>(tag_).hovered_byte())
    contents.marked_byte = static_cast<std::int64_t>(*byte);
  if (!shows_contents()) return contents;
  contents.revision += contents_.revision() << 32;
  contents.values = &contents_.contents();
  contents.watched_bytes = &explorer.board().get<BlockStepping>(tag_).watched_bytes();
  return contents;
}

void SharedMemoryPanel::draw_grid(Explorer& explorer, ImVec2 size) {
  const std::optional<std::int64_t> hovered = widget_.draw(grid_contents(explorer), size);
  if (shows_contents()) contents_.draw_menu(explorer, hovered);
  if (!hovered) return;
  explorer.board().get<MemoryFocus>(tag_).hover(static_cast<std::uint64_t>(*hovered));
  draw_tooltip(*hovered);
}

void SharedMemoryPanel::draw_tooltip(std::int64_t byte) const {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || !ImGui::BeginTooltip()) return;
  std::vector<TextPair> lines = byte_details(grid_, byte);
  const std::vector<TextPair> more =
      shows_contents() ? content_details(grid_, contents_.contents(), byte)
                       : traffic_details(byte / bank_word_bytes, touched_, &derived_->words);
  lines.insert(lines.end(), more.begin(), more.end());
  tooltip_body(byte_words(grid_, byte), lines,
               shows_contents() ? "Right button: stop at writes to this word." : "");
  ImGui::EndTooltip();
}

void SharedMemoryPanel::draw_parts(ImVec2 size) {
  highlighted_.reset();
  const bool has_rows = !is_of_file() || std::ranges::any_of(grid_.parts(), [](const BankGridPart& part) {
    return part.rows > 0;
  });
  const bool has_extents = !shows_contents() && size.x > em() * 18 && has_rows;
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_PadOuterX | ImGuiTableFlags_RowBg;
  const int columns = shows_contents() ? 2 : (has_extents ? 4 : 3);
  if (!ImGui::BeginTable(shows_contents() ? "held" : "parts", columns, flags, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  // Ranges of a file's memory have longer names than tiles.
  ImGui::TableSetupColumn("Name", 0, is_of_file() ? 3.4F : 2.2F);
  if (shows_contents()) ImGui::TableSetupColumn(held_header(), 0, 3.2F);
  if (has_extents) ImGui::TableSetupColumn("Elements", 0, 1.7F);
  if (!shows_contents()) {
    ImGui::TableSetupColumn("Offset", 0, 1.5F);
    ImGui::TableSetupColumn("Bytes", 0, 1.5F);
  }
  draw_parts_header(has_extents);
  for (std::size_t i = 0; i < grid_.parts().size(); ++i) draw_part(i, has_extents);
  if (!shows_contents()) draw_total(has_extents);
  ImGui::EndTable();
}

/// Parts may lie over each other: it is not their sum.
void SharedMemoryPanel::draw_total(bool has_extents) const {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_muted("Total");
  ImGui::TableSetColumnIndex(has_extents ? 3 : 2);
  const MonoText mono;
  const std::string bytes = format_count(grid_.bytes());
  const float left = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(bytes.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(left, 0.0F));
  ImGui::TextUnformatted(bytes.c_str());
  landmark("shared_memory.total");
}

void SharedMemoryPanel::draw_parts_header(bool has_extents) const {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const auto header = [](const char* text, bool is_number) {
    ImGui::TableNextColumn();
    draw_header_label({text, is_number}, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x);
    ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  };
  header("Name", false);
  if (shows_contents()) return header(held_header(), false);
  if (has_extents) header("Elements", true);
  header("Offset", true);
  header("Bytes", true);
}

void SharedMemoryPanel::draw_part(std::size_t index, bool has_extents) {
  const BankGridPart& part = grid_.parts()[index];
  const auto number = [](const std::string& text) {
    ImGui::TableNextColumn();
    const MonoText mono;
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - ImGui::CalcTextSize(text.c_str()).x));
    ImGui::TextUnformatted(text.c_str());
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = std::round(em() * 0.7F);
  const std::string label = "##" + std::to_string(index);
  if (ImGui::Selectable(label.c_str(), grid_.front() == index, ImGuiSelectableFlags_SpanAllColumns))
    show_part(index);
  landmark("shared_memory.list." + part.name);
  if (ImGui::IsItemHovered()) highlighted_ = index;
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) && ImGui::BeginTooltip()) {
    tooltip_body(part.name, part_details(part), "Click to zoom to it.");
    ImGui::EndTooltip();
  }
  const float top = std::round(at.y + (ImGui::GetTextLineHeight() - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, to_u32(color_of(part)));
  ImGui::SameLine(0, 0);
  ImGui::SetCursorScreenPos({at.x + side + em() * 0.4F, at.y});
  ImGui::TextUnformatted(part.name.c_str());
  if (shows_contents()) {
    ImGui::TableNextColumn();
    if (is_of_file()) return text_muted(part.type);
    return draw_held_rows(contents_.contents(), part.name);
  }
  if (has_extents) number(extent_words(part));
  number(format_count(part.offset));
  number(format_count(part.bytes));
}

void SharedMemoryPanel::show_part(std::size_t index) {
  const BankGridPart& part = grid_.parts()[index];
  grid_.bring_to_front(index);
  const bool one_row = part.end_row() - part.first_row() == 1;
  const std::int64_t first_bank = part.offset / bank_word_bytes % grid_banks;
  const std::int64_t words = (part.bytes + bank_word_bytes - 1) / bank_word_bytes;
  widget_.zoom().fit(part.first_row(), part.end_row(), one_row ? first_bank : 0,
                     one_row ? first_bank + words : grid_banks);
}

void SharedMemoryPanel::draw_last_line() {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  draw_legend();
  if (widget_.zoom().is_whole() && !grid_.front()) return;
  // Down here, so that the grid does not move under the mouse that zooms.
  const char* const reset = "Reset zoom";
  const float width = ImGui::CalcTextSize(reset).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(right - width);
  if (ImGui::SmallButton(reset)) {
    widget_.zoom().reset();
    grid_.bring_to_front(std::nullopt);
  }
  landmark("shared_memory.reset");
  help_tooltip("Shows all of the shared memory again, as a double click in the grid does.");
}

void SharedMemoryPanel::draw_legend() const {
  if (shows_contents()) return contents_.draw_legend();
  if (coloring_ == BankGridColoring::reads) bank_heat_scale("Reads of a word:", derived_->words.most_reads);
  if (coloring_ == BankGridColoring::writes)
    bank_heat_scale("Writes of a word:", derived_->words.most_writes);
  text_muted(marked_);
  landmark("shared_memory.marked");
  const std::string look =
      coloring_ == BankGridColoring::tiles
          ? "Filled in red: words of one bank in one pass, which move one after the other."
          : "They have a frame; a red bar is over banks in which words collide.";
  help_tooltip("The words that the lanes of this access touch. " + look +
               (is_of_file() ? " Microscope (file) steps through its executions."
                             : " Step to other accesses in the panels Microscope and Access sites."));
}

const RegisterPanel register_shared_memory_panel{[] { return std::make_unique<SharedMemoryPanel>(); }};
const RegisterPanel register_file_shared_memory{
    [] { return std::make_unique<SharedMemoryPanel>(SharedMemoryPanel::OfFile()); }};

}  // namespace

}  // namespace tilescope
