#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/compare/compare_items.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/panels/points/points_filter.hpp"
#include "app/panels/points/points_header.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/installation.hpp"
#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/points_csv.hpp"

namespace tilescope {

namespace {

/// Which rows are listed, and how.
struct TableOptions {
  PointFilter filter;
  TableChoices choices;

  bool operator==(const TableOptions&) const = default;
};

class PointsTablePanel : public Panel {
 public:
  PointsTablePanel() : Panel("points", "Points", {480, 160}, PanelRole::all_points) {}

  bool has_table() const override { return true; }
  std::string csv() const override;
  std::vector<std::string> options() const override { return to_lines(options_.choices); }
  void take_option(const std::string& line) override { take_line(options_.choices, line); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void update_columns(const Explorer& explorer);
  void derive(bool rows_changed);
  void choose_columns();
  void draw_filter(const Explorer& explorer);
  void draw_menu();
  void draw_constants() const;
  void draw_no_match();
  void draw_table(Explorer& explorer);
  void follow_shown_point(const Explorer& explorer);
  ImVec2 table_size() const;
  void draw_rows(Explorer& explorer);
  void draw_row(Explorer& explorer, std::size_t place);
  void draw_cell(const PointRow& row, const PointColumn& column) const;
  static void draw_name(const PointColumn& column, const std::string& text, const ImVec4& color);
  static void mark_compared(const ImVec2& corner);
  void row_menu(Explorer& explorer, std::uint32_t index) const;
  void copy_items(const Explorer& explorer, const PointRow& row, std::uint32_t index) const;
  std::vector<PointColumn> shown_columns() const;

  TableOptions options_;
  TableOptions derived_options_;
  /// As declared; the table's have the parameters that vary first.
  std::vector<PointColumn> columns_;
  TableColumns table_;
  std::uint64_t kernels_revision_ = 0;
  std::size_t parameters_of_points_ = 0;
  PointRows rows_;
  std::vector<std::uint32_t> order_;
  std::string constants_;
  /// Since the columns were chosen.
  bool contents_changed_ = false;
  /// A row has one.
  bool has_latency_ = false;
  /// The columns stand in another order than in the frame before.
  bool columns_moved_ = false;
  /// Whether the frame before had one: the table needs room for it.
  bool has_scroll_bar_ = false;
  /// Its row was in view, once.
  SharedMeasurement followed_;
  /// Generation of the rows when a point was last followed.
  std::uint64_t followed_generation_ = ~std::uint64_t{0};
};

void PointsTablePanel::draw(Explorer& explorer) {
  const bool changed =
      rows_.update(explorer.points().list(), explorer.points().recorded(), explorer.kernels().sources());
  if (!rows_.is_complete()) explorer.notices().draw_again();
  update_columns(explorer);
  derive(changed);
  if (rows_.rows().empty()) {
    empty_state("No points yet",
                "Every configuration that is measured becomes a row here: move a slider, start a sweep, or "
                "open a session.");
    return;
  }
  draw_filter(explorer);
  draw_constants();
  if (order_.empty() && rows_.is_complete()) return draw_no_match();
  draw_table(explorer);
}

void PointsTablePanel::draw_no_match() {
  if (empty_state("No point matches the filter", "", "Clear filter")) options_.filter = {};
  landmark("points.clear_filter");
}

/// The parameters of all kernels have a column: the table stays the same when another kernel is chosen.
void PointsTablePanel::update_columns(const Explorer& explorer) {
  const bool same = kernels_revision_ == explorer.kernels().revision() &&
                    parameters_of_points_ == rows_.parameters().size();
  if (!table_.columns.empty() && same) return;
  kernels_revision_ = explorer.kernels().revision();
  parameters_of_points_ = rows_.parameters().size();
  std::vector<ParameterChoices> declared;
  for (const KernelDeclaration& kernel : explorer.kernels().all()) {
    for (ParameterChoices& choices : choices_of(kernel)) declared.push_back(std::move(choices));
  }
  columns_ = point_columns(all_parameters(declared, rows_.parameters()));
  table_.columns = columns_;
  table_.contents = {};
  derived_options_ = {};
  columns_moved_ = true;
}

void PointsTablePanel::derive(bool rows_changed) {
  if (!rows_changed && !columns_moved_ && options_ == derived_options_) return;
  has_latency_ = std::any_of(rows_.rows().begin(), rows_.rows().end(),
                             [](const PointRow& row) { return row.point->latency.has_value(); });
  const bool chosen_anew = options_.choices != derived_options_.choices;
  derived_options_ = options_;
  contents_changed_ = table_.contents.update(rows_, table_.columns) || contents_changed_;
  // While rows come in piece by piece the columns stay: they would jump in every frame.
  if (rows_.is_complete() || table_.shown.empty() || columns_moved_ || chosen_anew) choose_columns();
  order_ = ordered_rows(rows_, options_.filter, table_.columns, options_.choices);
}

void PointsTablePanel::choose_columns() {
  if (std::exchange(contents_changed_, false)) {
    table_.columns = varying_first(columns_, table_.contents);
    columns_moved_ = true;
  }
  table_.shown.clear();
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    if (is_shown(table_.columns[i], table_.contents, options_.choices)) table_.shown.push_back(i);
  }
  constants_.clear();
  if (rows_.rows().empty()) return;
  constants_ = same_in_all_rows(rows_.rows().front(), table_.columns, table_.contents, options_.choices);
}

void PointsTablePanel::draw_filter(const Explorer& explorer) {
  const float button = ImGui::GetFrameHeight();
  draw_point_filter(options_.filter, !explorer.points().recorded().empty(),
                    button + ImGui::GetStyle().ItemSpacing.x);
  ImGui::SameLine(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - button);
  if (ImGui::Button("...", {button, button})) ImGui::OpenPopup("table menu");
  landmark("points.menu");
  help_tooltip("Copy or export the table.");
  draw_menu();
}

void PointsTablePanel::draw_menu() {
  if (!ImGui::BeginPopup("table menu")) return;
  if (ImGui::MenuItem("Copy table"))
    ImGui::SetClipboardText(points_text(rows_.rows(), shown_columns(), order_).c_str());
  landmark("points.menu.copy");
  ImGui::Separator();
  draw_export_items();
  ImGui::EndPopup();
}

std::string PointsTablePanel::csv() const {
  return points_csv(rows_.rows(), exported_columns(table_.columns, table_.contents, options_.choices),
                    order_);
}

/// How many rows there are, and what all of them have.
void PointsTablePanel::draw_constants() const {
  const auto shown = static_cast<std::int64_t>(order_.size());
  const auto count = static_cast<std::int64_t>(rows_.rows().size());
  std::string text = shown == count ? format_points(rows_.rows().size())
                                    : format_count(shown) + " of " + format_count(count) + " points";
  if (!constants_.empty()) text += ". Same in all rows: " + constants_;
  const bool fits = text_in_one_line(palette().muted, text);
  landmark("points.constants");
  if (!fits) help_tooltip(text);
}

/// As high as the space, but for a last row that would be cut.
ImVec2 PointsTablePanel::table_size() const {
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float bar = has_scroll_bar_ ? ImGui::GetStyle().ScrollbarSize : 0;
  const float rows = std::floor((space.y - bar) / row);
  return {space.x, std::max(rows, 2.0F) * row + bar};
}

void PointsTablePanel::draw_table(Explorer& explorer) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Hideable |
                                ImGuiTableFlags_Reorderable | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  const ImVec2 size = table_size();
  if (!ImGui::BeginTable("rows", static_cast<int>(table_.columns.size()), flags, size)) return;
  ImGuiTable& current = *ImGui::GetCurrentTable();
  has_scroll_bar_ = current.InnerWindow->ScrollbarX;
  // ImGui keeps the place of a column that moves; only where the user did not choose the order it follows ours.
  if (std::exchange(columns_moved_, false) && current.IsDefaultDisplayOrder)
    current.IsResetDisplayOrderRequest = true;
  setup_table_columns(table_, size.x);
  draw_table_header(table_, options_.choices);
  draw_rows(explorer);
  ImGui::EndTable();
}

/// Scrolls to the row of the shown point when something else than this table changed it.
void PointsTablePanel::follow_shown_point(const Explorer& explorer) {
  const SharedMeasurement shown = explorer.shown().point();
  if (!shown || shown == followed_ || !rows_.is_complete()) return;
  followed_ = shown;
  // Rows that are listed for the first time start at the top.
  if (std::exchange(followed_generation_, rows_.generation()) != rows_.generation()) return;
  const auto found = std::find_if(order_.begin(), order_.end(),
                                  [&](std::uint32_t index) { return rows_.rows()[index].point == shown; });
  if (found == order_.end()) return;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const ImGuiWindow& window = *ImGui::GetCurrentTable()->InnerWindow;
  const float height = window.InnerRect.GetHeight() - row;  // Below the header.
  const float top = static_cast<float>(found - order_.begin()) * row;
  const float scrolled = ImGui::GetScrollY();
  if (top >= scrolled && top + row <= scrolled + height) return;
  ImGui::SetScrollY(std::max(0.0F, top - (height - row) / 2));
}

void PointsTablePanel::draw_rows(Explorer& explorer) {
  follow_shown_point(explorer);
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order_.size()));
  while (clipper.Step()) {
    for (int place = clipper.DisplayStart; place < clipper.DisplayEnd; ++place) {
      draw_row(explorer, static_cast<std::size_t>(place));
    }
  }
}

void PointsTablePanel::draw_row(Explorer& explorer, std::size_t place) {
  const std::uint32_t index = order_[place];
  const PointRow& row = rows_.rows()[index];
  ImGui::TableNextRow();
  if (explorer.shown().compared() == row.point)
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, to_u32(wash(palette().accent, 0.14F)));
  bool is_first = true;
  for (const std::size_t i : table_.shown) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    // In the first column in sight: in one that is hidden or scrolled away nothing would answer the mouse.
    if (std::exchange(is_first, false)) {
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      ImGui::PushID(static_cast<int>(index));
      const ImGuiSelectableFlags flags =
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;
      if (ImGui::Selectable("##row", explorer.shown().point() == row.point, flags)) {
        explorer.shown().show(row.point);
        if (const SharedMeasurement shown = explorer.shown().point()) followed_ = shown;
      }
      landmark("row." + std::to_string(place));
      if (explorer.shown().compared() == row.point) mark_compared(corner);
      row_menu(explorer, index);
      ImGui::PopID();
      ImGui::SetCursorScreenPos(corner);
    }
    draw_cell(row, table_.columns[i]);
  }
}

void PointsTablePanel::draw_cell(const PointRow& row, const PointColumn& column) const {
  const std::string text = cell_text(row, column);
  if (text.empty()) return;
  const bool right = row.point->status == Status::ok;
  // Beside measured latencies predictions stand back.
  const bool is_faint = row.older_source || (has_latency_ && !row.point->latency);
  const ImVec4 body = is_faint ? palette().muted : palette().text;
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  const bool is_status = column.tag == "status";
  const bool by_status = (is_status || !right) && !row.older_source;
  const ImVec4 color = by_status ? color_of(row.point->status) : body;
  if (column.is_number || is_status) {
    text_colored(color, text);
  } else {
    draw_name(column, text, color);
  }
  if (is_status && !right) help_tooltip(row.point->reason);
}

/// With a tooltip where it is cut. Kernels of one file differ at the end of their names.
void PointsTablePanel::draw_name(const PointColumn& column, const std::string& text, const ImVec4& color) {
  const bool is_whole =
      column.tag == "kernel" ? text_cut_in_the_middle(color, text) : text_in_one_line(color, text);
  if (!is_whole) help_tooltip(text);
}

/// A bar at the left of the last item, so that the colour of the row is not all that shows it.
void PointsTablePanel::mark_compared(const ImVec2& corner) {
  landmark("row.compared");
  help_tooltip("Compared with the point that panel Point shows.");
  draw_row_bar(corner);
}

std::vector<PointColumn> PointsTablePanel::shown_columns() const {
  std::vector<PointColumn> columns;
  columns.reserve(table_.shown.size());
  for (const std::size_t i : table_.shown) columns.push_back(table_.columns[i]);
  return columns;
}

/// A menu item; where `why_not` is not empty it is disabled, and its tooltip says why.
bool item(const char* label, const char* mark, const std::string& why_not = {}) {
  const bool pressed = ImGui::MenuItem(label, nullptr, false, why_not.empty());
  landmark(mark);
  help_tooltip(why_not);
  return pressed;
}

void PointsTablePanel::row_menu(Explorer& explorer, std::uint32_t index) const {
  if (!ImGui::BeginPopupContextItem("row menu")) return;
  ImGui::PushFont(fonts().text, 0);  // Rows are monospaced.
  const PointRow& row = rows_.rows()[index];
  const bool is_known = explorer.kernels().find(row.point->kernel) != nullptr;
  if (item("Go to configuration", "row_menu.go_to",
           is_known ? "" : "The kernel '" + row.point->kernel + "' is not in this catalogue.")) {
    explorer.shown().go_to(*row.point);
  }
  if (explorer.shown().compared() == row.point) {
    if (item("Stop comparing", "row_menu.compare")) explorer.shown().compare_with(nullptr);
  } else {
    const SharedMeasurement current = explorer.jobs().current_point();
    const std::string why_not = !current               ? "There is no point at the slider values yet."
                                : current == row.point ? "This is the current point."
                                                       : "";
    if (item("Compare with the current point", "row_menu.compare", why_not))
      explorer.shown().compare_with(row.point);
  }
  compare_items(explorer, row.point);
  ImGui::Separator();
  copy_items(explorer, row, index);
  ImGui::Separator();
  if (item("Remove", "row_menu.remove",
           row.recorded ? "Recorded points belong to their session's file and cannot be removed." : "")) {
    explorer.shown().remove(row.point);
  }
  ImGui::PopFont();
  ImGui::EndPopup();
}

void PointsTablePanel::copy_items(const Explorer& explorer, const PointRow& row, std::uint32_t index) const {
  if (item("Copy as command line", "row_menu.copy_command"))
    ImGui::SetClipboardText(command_line(*row.point, shell_program(explorer.installation())).c_str());
  if (item("Copy values", "row_menu.copy_values"))
    ImGui::SetClipboardText(points_text(rows_.rows(), shown_columns(), {index}).c_str());
}

const RegisterPanel register_points_table_panel{[] { return std::make_unique<PointsTablePanel>(); }};

}  // namespace

}  // namespace tilescope
