#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/layout_search.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/memory/layout_detail.hpp"
#include "app/panels/memory/layout_rows.hpp"
#include "app/panels/memory/recorded_block_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "base/text/format.hpp"
#include "profiler/explanation/tries/layout_answers.hpp"
#include "profiler/views/memory/array_declaration.hpp"
#include "profiler/views/memory/layout_table.hpp"

namespace tilescope {

namespace {

constexpr PanelSize smallest_solver{360, 320};

/// Layouts of one tile of the recorded block, ranked by what all of its accesses cost with them.
class SwizzleSolverPanel : public Panel {
 public:
  SwizzleSolverPanel() : Panel("swizzle-solver", "Swizzle solver", smallest_solver) {}
  /// Layouts of the opened file's arrays.
  struct OfFile {};
  explicit SwizzleSolverPanel(OfFile /*unused*/)
      : Panel("file-swizzle-solver", "Swizzle solver (file)", smallest_solver), tag_(block_of_file) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    const BlockRecorder& recording = explorer.board().get<BlockRecorder>(tag_);
    return has_layouts_ && (recording.is_outdated() || found_->block != recording.shown());
  }
  bool has_table() const override { return true; }
  std::string csv() const override {
    return has_layouts_ && found_->solved ? layout_csv(*found_->solved) : "";
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  bool is_of_file() const { return !tag_.empty(); }
  LayoutSearch& search(Explorer& explorer) const { return explorer.board().get<LayoutSearch>(tag_); }
  const LayoutSearch& search(const Explorer& explorer) const {
    return explorer.board().get<LayoutSearch>(tag_);
  }
  bool draw_empty(Explorer& explorer) const;
  void derive(const LayoutSearch& search);
  void pick_tile(LayoutSearch& search) const;
  void pick_pitch(LayoutSearch& search) const;
  void draw_activity(Explorer& explorer) const;
  void draw_applied(Explorer& explorer) const;
  void draw_summary();
  void add_sizes();
  void show_row(std::size_t row);
  void select(std::size_t row);
  void draw_detail(Explorer& explorer);
  std::string why_not_applied(const Explorer& explorer) const;
  std::string why_not_compiled(const LayoutSearch& search) const;

  /// "", or block_of_file.
  std::string tag_;
  /// Else found_ is of a former configuration.
  bool has_layouts_ = false;
  std::shared_ptr<const FoundLayouts> found_;
  LayoutTable table_;
  LayoutDetail detail_;
  /// Words of the layout that was clicked; "" for the best one.
  std::string chosen_;
  /// Into table_.rows.
  std::size_t selected_ = 0;
  /// In the next frame: the table to the selected row, the detail to its heading.
  bool scrolls_to_selected_ = false, scrolls_to_heading_ = false;
};

void SwizzleSolverPanel::draw(Explorer& explorer) {
  const auto block = recorded_block_or_reason(explorer, tag_);
  LayoutSearch& search = this->search(explorer);
  search.want();
  has_layouts_ = block && !draw_empty(explorer);
  if (!has_layouts_) return;
  derive(search);
  if (!recorded_block_header(explorer, *block, tag_)) {
    same_line_if_fits(em() * 16);
    const bool is_beside = ImGui::GetCursorScreenPos().y < ImGui::GetItemRectMax().y;
    if (is_beside) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em());
  }
  pick_tile(search);
  pick_pitch(search);
  draw_activity(explorer);
  draw_applied(explorer);
  if (!found_->solved) return text_wrapped(palette().warning, found_->why_not);
  draw_summary();
  const float height = std::max(ImGui::GetContentRegionAvail().y * 0.5F, 8 * em());
  const LayoutRowsAction action =
      draw_layout_rows(table_, selected_, std::exchange(scrolls_to_selected_, false), height);
  if (action.clicked) select(*action.clicked);
  draw_detail(explorer);
}

/// Returns whether there is nothing to rank.
bool SwizzleSolverPanel::draw_empty(Explorer& explorer) const {
  const LayoutSearch& search = this->search(explorer);
  if (!search.found()) {
    explorer.notices().draw_again();
    empty_state("Judging layouts...", "Every layout is judged by all accesses of the traced block.");
    return true;
  }
  if (!search.found()->tiles.empty()) return false;
  empty_state(
      "No shared memory",
      is_of_file()
          ? "The traced block of the opened kernel accesses no shared memory."
          : "The traced block accesses no shared memory. Choose a kernel with tiles in shared memory, "
            "such as flash_scalar.");
  return true;
}

/// The texts of what was found, once for each answer.
void SwizzleSolverPanel::derive(const LayoutSearch& search) {
  if (found_ == search.found()) return;
  if (found_ && found_->block->kernel() != search.found()->block->kernel()) chosen_.clear();
  found_ = search.found();
  if (!found_->solved) return;
  const SolvedTile& solved = *found_->solved;
  table_ = layout_table(solved, overlapping_tiles(solved.tile, found_->block->tiles));
  if (is_of_file()) add_sizes();
  const auto row = std::find_if(table_.rows.begin(), table_.rows.end(),
                                [&](const LayoutRow& each) { return each.words == chosen_; });
  const auto place = row == table_.rows.end() ? 0 : static_cast<std::size_t>(row - table_.rows.begin());
  scrolls_to_selected_ |= place != selected_;
  show_row(place);
}

/// The sizes with which a file's array has the layouts.
void SwizzleSolverPanel::add_sizes() {
  table_.has_sizes = true;
  const SourceTile* const tile = source_tile(*found_);
  if (tile == nullptr) return;
  for (LayoutRow& row : table_.rows) {
    if (const auto added = added_columns(*found_, row.layout); added && row.state != LayoutRow::State::fails)
      row.kernel_has = size_words(*tile, *added);
  }
}

void SwizzleSolverPanel::show_row(std::size_t row) {
  scrolls_to_heading_ |= table_.rows[row].words != detail_.words;
  selected_ = row;
  detail_ = layout_detail(*found_->solved, found_->block->recording, table_.rows[row].layout);
}

/// Chooses a row: the layout stays chosen when another block of the same kernel is traced.
void SwizzleSolverPanel::select(std::size_t row) {
  chosen_ = table_.rows[row].words;
  show_row(row);
}

void SwizzleSolverPanel::draw_summary() {
  text_wrapped(palette().muted, table_.tile + " " + table_.cost);
  landmark("solver.cost");
  for (const std::string& note : table_.notes) text_wrapped(palette().warning, note);
  if (line_link("present", table_.present, palette().text)) {
    select(table_.current);
    scrolls_to_selected_ = true;
  }
  landmark("solver.present");
}

void SwizzleSolverPanel::pick_tile(LayoutSearch& search) const {
  const std::string shown = found_->solved ? found_->solved->tile.name : search.tile();
  const auto label = [](const SearchedTile& tile) {
    return fmt::format("{}, {} excess", tile.name, format_count(static_cast<std::int64_t>(tile.excess)));
  };
  std::string preview = shown;
  for (const SearchedTile& tile : found_->tiles) {
    if (tile.name == shown) preview = label(tile);
  }
  ImGui::AlignTextToFramePadding();
  text_muted("Tile");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em() * 12);
  if (ImGui::BeginCombo("##tile", preview.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const SearchedTile& tile : found_->tiles) {
      if (ImGui::Selectable(label(tile).c_str(), tile.name == shown)) search.choose_tile(tile.name);
      landmark("solver.tile." + tile.name);
    }
    ImGui::EndCombo();
  }
  landmark("solver.tile");
  help_tooltip(
      "The tile with the most excess wavefronts, the tile of the site in the microscope, or your choice.");
}

/// Only for a tile of which nothing is declared.
void SwizzleSolverPanel::pick_pitch(LayoutSearch& search) const {
  if (found_->solved && found_->solved->is_declared) return;
  same_line_if_fits(em() * 13);
  ImGui::AlignTextToFramePadding();
  text_muted("Row pitch [B]");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em() * 6);
  const bool is_found = search.pitch() == 0 && found_->solved && found_->solved->has_rows_of_lanes;
  int pitch = static_cast<int>(is_found ? found_->solved->shape.row_bytes() : search.pitch());
  const bool entered = ImGui::InputInt("##pitch", &pitch, 0, 0, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool is_changed = !is_found || pitch != found_->solved->shape.row_bytes();
  if (is_changed && (entered || ImGui::IsItemDeactivatedAfterEdit())) search.choose_pitch(pitch);
  landmark("solver.pitch");
  help_tooltip(is_of_file() ? "Bytes from one row to the next. 0: the distance between lanes that conflict, "
                              "else one row, of which "
                              "only swizzles of the offset are tried. An array that the source declares with "
                              "rows needs no entry."
                            : "Bytes from one row to the next. 0: unknown, then only swizzles of the offset "
                              "are tried. A kernel that "
                              "declares rows and columns of its tiles needs no entry.");
}

void SwizzleSolverPanel::draw_activity(Explorer& explorer) const {
  const LayoutSearch& search = this->search(explorer);
  if (!search.searches()) return;
  explorer.notices().draw_again();
  const std::string text = fmt::format("Judging layouts... {:.0f} %", 100 * search.progress());
  same_line_if_fits(text);
  ImGui::AlignTextToFramePadding();
  text_muted(text);
  landmark("solver.activity");
}

/// Draws the promised cost of an applied layout and the cost in the new trace.
void SwizzleSolverPanel::draw_applied(Explorer& explorer) const {
  const auto& applied = search(explorer).applied();
  if (!applied) return;
  const TintedBox box("applied", palette().ok);
  const AppliedWords words =
      applied_words({applied->change, applied->tile, applied->before, applied->promised, applied->recorded,
                     applied->shared_before, applied->shared_after, applied->has_other_accesses});
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text, words.heading);
  ImGui::PopFont();
  landmark("solver.applied");
  text_wrapped(palette().text, words.text);
  if (is_of_file()) {
    if (ImGui::Button("Undo")) search(explorer).undo_in_file();
  } else {
    if (!explorer.selection().can_undo()) return;
    if (ImGui::Button("Undo")) explorer.selection().undo();
  }
  landmark("solver.undo");
}

/// "" where the selected layout can be applied.
std::string SwizzleSolverPanel::why_not_applied(const Explorer& explorer) const {
  const RankedLayout& layout = found_->solved->layouts[table_.rows[selected_].layout];
  if (layout.is_current) return "This is the present layout.";
  if (!layout.works) return "This layout does not work for all accesses.";
  if (is_of_file()) return why_not_compiled(search(explorer));
  if (layout.offered.empty())
    return "No parameter of the kernel has this layout: paste the index expression.";
  if (under_sliders(explorer.board()).experiment != found_->block->experiment)
    return "Another configuration is under the sliders by now; its block is being traced.";
  return "";
}

/// "" where the columns of the selected layout can be compiled into the file.
std::string SwizzleSolverPanel::why_not_compiled(const LayoutSearch& search) const {
  if (search.can_apply(table_.rows[selected_].layout)) return "";
  const std::string promised = "Promised, not counted: ";
  const RankedLayout& layout = found_->solved->layouts[table_.rows[selected_].layout];
  if (layout.layout && layout.layout->swizzle) return promised + "paste the index expression at each access.";
  if (found_->solved->is_declared) return promised + "the declaration is not in the opened file itself.";
  return promised + "the array has no rows in its declaration. Paste the index expression, and enlarge it.";
}

void SwizzleSolverPanel::draw_detail(Explorer& explorer) {
  const std::size_t layout = table_.rows[selected_].layout;
  LayoutDetailInput input{detail_, why_not_applied(explorer), std::exchange(scrolls_to_heading_, false)};
  input.change = search(explorer).change_words(layout);
  input.is_of_file = is_of_file();
  const LayoutDetailAction action = draw_layout_detail(input);
  if (action.site)
    explorer.board().get<MemoryFocus>(tag_).choose_site(found_->block->recording.sites[*action.site]);
  if (action.applied) search(explorer).apply(layout);
}

const RegisterPanel register_swizzle_solver_panel{[] { return std::make_unique<SwizzleSolverPanel>(); }};
const RegisterPanel register_file_swizzle_solver{
    [] { return std::make_unique<SwizzleSolverPanel>(SwizzleSolverPanel::OfFile()); }};

}  // namespace

}  // namespace tilescope
