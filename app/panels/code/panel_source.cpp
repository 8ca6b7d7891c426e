#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/code/code_difference.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/code/side_lines.hpp"
#include "app/panels/code/source_difference.hpp"
#include "app/panels/code/source_search.hpp"
#include "app/panels/code/source_view.hpp"
#include "app/panels/step/play_head_lines.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

class SourcePanel : public Panel {
 public:
  SourcePanel() : Panel("source", "Source", {300, 200}, PanelRole::code_line) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return !SideLines::are_compared(explorer) && explorer.board().get<CodeListing>().shown() &&
           explorer.board().get<CodeListing>().waits();
  }
  bool has_table() const override { return true; }
  std::string csv() const override;
  std::vector<std::string> options() const override;
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  /// A line that was chosen, here or in another panel.
  struct Chosen {
    CodeColumn column = CodeColumn::cuda;
    std::uint32_t row = 0;
    /// As SourceOptions::file.
    std::string file;
  };

  /// The revisions when the focus was last followed.
  struct Followed {
    std::uint64_t focus = ~std::uint64_t{0}, view = 0, block = 0;
    bool operator==(const Followed&) const = default;
  };

  void draw_toolbar(const Explorer& explorer);
  void choose_layout(const Explorer& explorer);
  void pick_heat();
  void choose_heat(HeatMetric metric) {
    options_.heat = metric;
    options_.is_heat_chosen = true;
  }
  /// To the hottest lines, or in the order of the code to the chosen line.
  void scroll_to_begin();
  void choose_order();
  void choose_file();
  void draw_notices(const Explorer& explorer) const;
  void draw_columns(Explorer& explorer);
  void draw_column(Explorer& explorer, CodeColumn column, float width);
  void draw_hottest(Explorer& explorer, CodeColumn column, float width);
  CodeList list_of(CodeColumn column, float width) const;
  CodeRow row_of(CodeColumn column, std::size_t row) const;
  void explain(CodeColumn column, const CodeListAction& action) const;
  void update_search(const Explorer& explorer);
  /// Returns whether another panel chose something to look at.
  bool follow_focus(const Explorer& explorer);
  void follow_play_head(const Explorer& explorer, bool focus_moved);
  bool shows_play_head(CodeColumn column) const {
    return column == CodeColumn::cuda && play_head_.is_shown();
  }
  void choose(CodeColumn column, std::uint32_t row, bool scrolls_itself);
  void unchoose();
  void focus_on(Explorer& explorer, CodeColumn column, std::uint32_t row);

  SourceOptions options_;
  SideLines side_lines_;
  bool shows_side_ = false;
  SourceView view_;
  SourceSearch search_;
  SourceDifference difference_;
  PlayHeadLines play_head_;
  std::vector<CodeColumn> shown_ = {CodeColumn::cuda};
  std::optional<Chosen> chosen_;
  /// Rows of each column that belong to the chosen line, ascending.
  std::array<std::vector<std::uint32_t>, 3> linked_;
  std::array<std::optional<std::uint32_t>, 3> scroll_to_;
  Followed followed_;
  /// Nothing was chosen, and the worst line of the newest block is not marked yet: block and code come in any order, and
  /// also while the panel is hidden.
  bool awaits_worst_ = false;
  /// Another metric was chosen: its hottest lines come into view once it is derived.
  bool shows_hottest_ = false;
  /// The user chose the file, and no other access is looked at since.
  bool keeps_file_ = false;
};

std::size_t index(CodeColumn column) {
  return static_cast<std::size_t>(column);
}

constexpr std::size_t least_text_columns = 24;

bool has_two_sides(const Explorer& explorer) {
  return std::all_of(both_sides.begin(), both_sides.end(), [&](Side side) {
    return explorer.board().get<ComparisonPair>().choice(side).kind != SideChoice::Kind::none;
  });
}

void SourcePanel::draw(Explorer& explorer) {
  shows_side_ = SideLines::are_compared(explorer);
  if (shows_side_) return side_lines_.draw(explorer);
  if (!options_.is_heat_chosen) options_.heat = heat_to_begin_with(explorer, options_.heat);
  view_.update(explorer, options_);
  if (std::exchange(shows_hottest_, false)) scroll_to_begin();
  if (!view_.code()) {
    const MissingAnswer& missing = explorer.board().get<CodeListing>().missing();
    if (empty_state(missing.heading, missing.text, missing.can_retry ? "Try again" : ""))
      explorer.board().get<CodeListing>().retry();
    return;
  }
  draw_toolbar(explorer);
  draw_notices(explorer);
  if (options_.layout == SourceLayout::difference) difference_.update(explorer);
  update_search(explorer);
  follow_play_head(explorer, follow_focus(explorer));
  if (options_.layout != SourceLayout::difference) return draw_columns(explorer);
  if (const auto row = difference_.draw(explorer, search_)) {
    choose(CodeColumn::sass, *row, true);
    focus_on(explorer, CodeColumn::sass, *row);
  }
}

std::string SourcePanel::csv() const {
  if (shows_side_) return side_lines_.csv();
  if (options_.layout == SourceLayout::difference) return difference_.csv();
  return listing_csv(view_.listing(), view_.heat(), shown_);
}

std::vector<std::string> SourcePanel::options() const {
  return {"layout " + tag_of(options_.layout),
          "heat " + (options_.is_heat_chosen ? tag_of(options_.heat) : "auto"),
          options_.is_by_heat ? "order heat" : "order code"};
}

void SourcePanel::take_option(const std::string& line) {
  for (const SourceLayout layout : all_source_layouts) {
    if (line == "layout " + tag_of(layout)) options_.layout = layout;
  }
  if (line == "heat auto") options_.is_heat_chosen = false;
  if (line == "order heat") options_.is_by_heat = true;
  if (line == "order code") options_.is_by_heat = false;
  for (const HeatMetric metric : all_heat_metrics) {
    if (line == "heat " + tag_of(metric)) choose_heat(metric);
  }
}

void SourcePanel::draw_toolbar(const Explorer& explorer) {
  choose_layout(explorer);
  if (options_.layout != SourceLayout::difference) {
    same_line_if_fits(em() * 13);
    pick_heat();
    same_line_if_fits(em() * 9);
    choose_order();
    if (view_.listing().files().size() > 1) {
      same_line_if_fits(em() * 12);
      choose_file();
    }
  }
  const float buttons = em() * 11;  // also before there are hits: nothing moves while the user types
  same_line_if_fits(em() * 10 + buttons);
  search_.draw(std::clamp(ImGui::GetContentRegionAvail().x - buttons, em() * 6, em() * 20));
}

/// As many columns as fit; a panel that is too narrow for the chosen ones shows the first of them.
void SourcePanel::choose_layout(const Explorer& explorer) {
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  const SourceRoom room{ImGui::GetContentRegionAvail().x + spacing,
                        code_list_width(5, least_text_columns, true) + spacing};
  const std::size_t fits = room.columns();
  if (options_.layout == SourceLayout::difference && !has_two_sides(explorer))
    options_.layout = options_.before;
  const SourceLayout drawn = layout_that_fits(options_.layout, fits);
  SegmentedChoice choice{"##layout", {},    all_source_layouts.size(), false,
                         false,      false, ImGui::GetFrameHeight()};
  for (std::size_t i = 0; i < all_source_layouts.size(); ++i) {
    const SourceLayout layout = all_source_layouts[i];
    if (layout == drawn) choice.current = i;
    const bool lacks_point = layout == SourceLayout::difference && !has_two_sides(explorer);
    choice.segments.push_back({to_words(layout), "source.layout." + tag_of(layout),
                               lacks_point ? no_second_side() : why_too_narrow(layout, room)});
  }
  const SegmentedAction action = segmented_choice(choice);
  if (action.hovered) help_tooltip(choice.segments[*action.hovered].why_disabled);
  if (action.chosen) {
    if (options_.layout != SourceLayout::difference) options_.before = options_.layout;
    options_.layout = all_source_layouts[*action.chosen];
  }
  shown_ = columns_of(layout_that_fits(options_.layout, fits));
}

void SourcePanel::pick_heat() {
  ImGui::SetNextItemWidth(em() * 13);
  if (ImGui::BeginCombo("##heat", to_words(options_.heat).c_str())) {
    for (const HeatMetric metric : all_heat_metrics) {
      if (ImGui::Selectable(to_words(metric).c_str(), metric == options_.heat)) {
        choose_heat(metric);
        shows_hottest_ = options_.is_by_heat;
      }
      landmark("source.heat." + tag_of(metric));
    }
    ImGui::EndCombo();
  }
  landmark("source.heat");
  help_tooltip("What the bars beside the lines show.");
}

void SourcePanel::scroll_to_begin() {
  if (!options_.is_by_heat && chosen_) return choose(chosen_->column, chosen_->row, true);
  for (const CodeColumn column : all_code_columns) {
    const std::vector<std::uint32_t>& rows = view_.hottest(column);
    scroll_to_[index(column)] = options_.is_by_heat && !rows.empty() ? rows.front() : 0;
  }
}

void SourcePanel::choose_order() {
  if (ImGui::Checkbox("Hottest first", &options_.is_by_heat)) scroll_to_begin();
  landmark("source.by_heat");
  help_tooltip("Shows the lines that have a figure alone, the largest first.");
}

void SourcePanel::choose_file() {
  ImGui::SetNextItemWidth(em() * 11);
  if (ImGui::BeginCombo("##file", view_.listing().file().c_str())) {
    for (const std::string& file : view_.listing().files()) {
      if (ImGui::Selectable(file.c_str(), file == view_.listing().file())) {
        options_.file = file == view_.listing().files().front() ? "" : file;
        keeps_file_ = true;
      }
      landmark("source.file." + file);
    }
    ImGui::EndCombo();
  }
  landmark("source.file");
  help_tooltip("The kernel's own file, or a header that it includes.");
}

void SourcePanel::draw_notices(const Explorer& explorer) const {
  const MissingAnswer& missing = explorer.board().get<CodeListing>().missing();
  if (!missing.heading.empty()) {
    text_wrapped(palette().error, missing.heading + ": " + missing.text);
    landmark("source.problem");
  }
  if (const SameCode* same = view_.same_code()) {
    text_wrapped(palette().warning, same->title + ": " + same->text);
    landmark("source.same_code");
  }
  if (!view_.listing().why_unlinked().empty()) {
    text_wrapped(palette().warning, view_.listing().why_unlinked());
    landmark("source.unlinked");
  }
  if (options_.layout == SourceLayout::difference) return;
  const auto& pair = explorer.board().get<ComparisonPair>();
  for (const Side side : both_sides) {
    if (!has_two_sides(explorer) || !pair.follows_sliders(side)) continue;
    text_muted("The configuration under the sliders, which is " + to_string(side) + " in Compare.");
    landmark("source.side");
  }
  const bool is_said = !missing.text.empty() && view_.heat_words().find(missing.text) != std::string::npos;
  if (is_said) return;  // Nothing was counted for the reason above.
  text_wrapped(palette().muted, view_.heat_words());
  landmark("source.heat_words");
}

void SourcePanel::update_search(const Explorer& explorer) {
  SourceSearch::Columns columns;
  std::uint64_t generation = view_.revision() * 64 + static_cast<std::uint64_t>(options_.layout);
  if (options_.layout == SourceLayout::difference) {
    if (difference_.lines() != nullptr) columns.emplace_back(CodeColumn::sass, difference_.lines());
    generation += explorer.board().get<CodeDifference>().revision() << 40;
  } else {
    for (const CodeColumn column : shown_) columns.emplace_back(column, &view_.listing().lines(column));
  }
  generation = generation * 8 + shown_.size();
  search_.update(columns, generation);
  const auto hit = search_.take_moved();
  if (!hit) return;
  if (options_.layout == SourceLayout::difference) return difference_.scroll_to(hit->row);
  scroll_to_[index(hit->column)] = hit->row;
  for (const CodeColumn to : shown_) {
    if (to == hit->column) continue;
    const std::uint32_t main = view_.listing().main_link(hit->column, hit->row, to);
    if (main != LinkedListing::no_row) scroll_to_[index(to)] = main;
  }
}

/// Follows the focus of another panel; before the user chose one, the worst line.
bool SourcePanel::follow_focus(const Explorer& explorer) {
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>();
  const Followed now{focus.revision(), view_.revision(), explorer.board().get<BlockRecorder>().revision()};
  const Followed before = std::exchange(followed_, now);
  if (now == before) return false;
  const bool is_moved = now.focus != before.focus || now.block != before.block;
  awaits_worst_ = !focus.is_chosen() && (awaits_worst_ || is_moved);
  keeps_file_ = keeps_file_ && !is_moved;
  const bool follows = now.focus != before.focus || ((!chosen_ || awaits_worst_) && !keeps_file_);
  const auto place = follows ? view_.place_of_focus(explorer) : std::nullopt;
  const bool was_chosen = now.focus != before.focus && focus.is_chosen();
  if (!place) {
    // The number of a line of another file says nothing here.
    const bool is_other_file =
        chosen_ && chosen_->column == CodeColumn::cuda && chosen_->file != options_.file;
    if (is_other_file) unchoose();
    if (now.view != before.view && chosen_) choose(chosen_->column, chosen_->row, false);
    return was_chosen;
  }
  awaits_worst_ = false;
  if (place->file != options_.file) {
    options_.file = place->file;  // followed there as soon as the file is shown
    followed_.focus = ~std::uint64_t{0};
    return true;
  }
  choose(place->column, place->row, true);
  if (!place->ptx_row) return was_chosen;
  scroll_to_[index(CodeColumn::ptx)] = place->ptx_row;
  const std::uint32_t sass = view_.listing().main_link(CodeColumn::ptx, *place->ptx_row, CodeColumn::sass);
  if (sass != LinkedListing::no_row) scroll_to_[index(CodeColumn::sass)] = sass;
  return was_chosen;
}

/// The user's choice in another panel comes first.
void SourcePanel::follow_play_head(const Explorer& explorer, bool focus_moved) {
  play_head_.update(explorer.board().get<BlockStepping>(), options_.file);
  if (focus_moved || !play_head_.has_moved() || !shows_play_head(CodeColumn::cuda)) return;
  if (const auto line = play_head_.line()) return choose(CodeColumn::cuda, *line - 1, true);
  const std::string file = PlayHeadLines::file_to_show(explorer.board().get<BlockStepping>());
  if (options_.file == file) return;
  options_.file = file;
  play_head_.forget();  // its line there is followed in the next frame
}

void SourcePanel::choose(CodeColumn column, std::uint32_t row, bool scrolls_itself) {
  const LinkedListing& listing = view_.listing();
  if (row >= listing.size(column)) return unchoose();
  chosen_ = Chosen{column, row, options_.file};
  for (const CodeColumn to : all_code_columns) {
    linked_[index(to)] = listing.linked(column, row, to);
    const std::uint32_t main = listing.main_link(column, row, to);
    if (main != LinkedListing::no_row && (to != column || scrolls_itself)) scroll_to_[index(to)] = main;
  }
}

void SourcePanel::unchoose() {
  chosen_.reset();
  for (std::vector<std::uint32_t>& rows : linked_) rows.clear();
}

void SourcePanel::focus_on(Explorer& explorer, CodeColumn column, std::uint32_t row) {
  view_.focus_on(explorer, column, row);
  followed_.focus = explorer.board().get<MemoryFocus>().revision();
  awaits_worst_ = false;
}

void SourcePanel::draw_columns(Explorer& explorer) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - gap * static_cast<float>(shown_.size() - 1)) /
                      static_cast<float>(shown_.size());
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    ImGui::BeginGroup();
    text_muted(view_.title(shown_[i]));
    landmark("source.title." + to_words(shown_[i]));
    draw_column(explorer, shown_[i], std::floor(width));
    ImGui::EndGroup();
  }
}

void SourcePanel::draw_column(Explorer& explorer, CodeColumn column, float width) {
  const std::string why_empty = view_.why_empty(column);
  if (!why_empty.empty()) {
    ImGui::BeginChild(("##empty." + to_words(column)).c_str(), {width, 0});
    empty_state("No " + to_words(column), why_empty);
    landmark("source.empty." + to_words(column));
    ImGui::EndChild();
    return;
  }
  if (options_.is_by_heat) return draw_hottest(explorer, column, width);
  CodeList list = list_of(column, width);
  list.count = view_.listing().size(column);
  if (const auto hit = search_.current(); hit && hit->column == column) list.current_hit = hit->row;
  if (chosen_ && chosen_->column == column) list.cursor = chosen_->row;
  list.scroll_to = std::exchange(scroll_to_[index(column)], std::nullopt);
  list.has_signs = list.takes_breakpoints = shows_play_head(column);
  list.row = [&](std::size_t row) { return row_of(column, row); };
  const CodeListAction action = code_list(list);
  explain(column, action);
  if (!action.chosen) return;
  if (list.has_signs && action.is_over_gutter && action.chosen == action.hovered)
    return explorer.board().get<BlockStepping>().toggle_breakpoint(
        {options_.file, static_cast<std::uint32_t>(*action.chosen) + 1});
  const bool by_key = action.chosen != action.hovered;
  choose(column, static_cast<std::uint32_t>(*action.chosen), by_key);
  focus_on(explorer, column, chosen_->row);
}

/// Without rows.
CodeList SourcePanel::list_of(CodeColumn column, float width) const {
  CodeList list;
  list.id = "source." + to_words(column);
  list.label_columns = view_.label_columns(column);
  list.text_columns = view_.text_columns(column);
  list.has_heat = view_.has_bars();
  list.heat_color = is_bad(options_.heat) ? palette().error : palette().series[0];
  list.search = search_.text();
  list.size = {width, 0};
  return list;
}

void SourcePanel::draw_hottest(Explorer& explorer, CodeColumn column, float width) {
  const std::vector<std::uint32_t>& rows = view_.hottest(column);
  const auto place_of = [&](std::size_t row) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(rows, row);
    if (found == rows.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rows.begin());
  };
  CodeList list = list_of(column, width);
  list.count = rows.size();
  if (const auto hit = search_.current(); hit && hit->column == column) list.current_hit = place_of(hit->row);
  if (chosen_ && chosen_->column == column) list.cursor = place_of(chosen_->row);
  if (const auto row = std::exchange(scroll_to_[index(column)], std::nullopt))
    list.scroll_to = place_of(*row);
  list.row = [&](std::size_t place) { return row_of(column, rows[place]); };
  CodeListAction action = code_list(list);
  for (std::optional<std::size_t>* at : {&action.hovered, &action.chosen})
    if (*at) *at = rows[**at];
  explain(column, action);
  if (!action.chosen) return;
  choose(column, static_cast<std::uint32_t>(*action.chosen), action.chosen != action.hovered);
  focus_on(explorer, column, chosen_->row);
}

CodeRow SourcePanel::row_of(CodeColumn column, std::size_t row) const {
  const LinkedListing& listing = view_.listing();
  CodeRow drawn;
  drawn.label = listing.label(column, row);
  drawn.text = listing.lines(column)[row];
  drawn.color = view_.is_quiet(column, row) ? palette().muted : palette().text;
  drawn.heat = static_cast<float>(view_.heat().share_of_most(column, row));
  if (drawn.heat > 0) drawn.figure = heat_figure(view_.heat(), column, row);
  drawn.is_inherited = column == CodeColumn::sass && !view_.heat().is_of_machine_code;
  drawn.is_chosen = chosen_ && chosen_->column == column && chosen_->row == row;
  const std::vector<std::uint32_t>& linked = linked_[index(column)];
  if (shows_play_head(column)) play_head_.mark(static_cast<std::uint32_t>(row) + 1, drawn);
  drawn.is_linked = std::binary_search(linked.begin(), linked.end(), static_cast<std::uint32_t>(row));
  return drawn;
}

void SourcePanel::explain(CodeColumn column, const CodeListAction& action) const {
  if (!action.hovered || !action.is_over_gutter) return;
  const std::string heat = heat_text(view_.heat(), column, *action.hovered);
  std::string places = view_.listing().places_text(column, *action.hovered);
  if (shows_play_head(column) && !options_.is_by_heat)
    places += std::string(places.empty() ? "" : "\n") +
              "Click: set or clear a breakpoint, which the button with the triangle goes on to.";
  if (heat.empty() && places.empty()) return;
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 30);
  if (!heat.empty()) ImGui::TextUnformatted((heat + ".").c_str());
  if (!places.empty()) text_muted(places);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

const RegisterPanel register_source_panel{[] { return std::make_unique<SourcePanel>(); }};

}  // namespace

}  // namespace tilescope
