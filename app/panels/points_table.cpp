#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/panels/kernel_points.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/panel.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"
#include "sessions/views/point_rows.hpp"
#include "sessions/views/point_text.hpp"

namespace tilescope {

namespace {

constexpr std::array statuses = {Status::ok,
                                 Status::wrong_result,
                                 Status::compile_failed,
                                 Status::launch_failed,
                                 Status::invalid_configuration,
                                 Status::unsupported,
                                 Status::timed_out,
                                 Status::worker_lost,
                                 Status::cancelled};

struct TableOptions {
  PointFilter filter;
  /// Into the columns.
  std::size_t sort_column = 0;
  bool descending = false;
  /// Off: newest first.
  bool sorted = false;

  bool operator==(const TableOptions&) const = default;
};

class PointsTablePanel : public Panel {
 public:
  PointsTablePanel() : Panel("points", "Points", {480, 160}) {}

 protected:
  void draw(Explorer& explorer) override;

 private:
  void update_columns(const Explorer& explorer);
  void draw_filter(const Explorer& explorer);
  void draw_table(Explorer& explorer);
  void setup_columns();
  void show_columns_with_figures();
  void read_sorting();
  void draw_rows(Explorer& explorer);
  void draw_row(Explorer& explorer, std::size_t place);
  int status_column() const;
  void draw_cells(const PointRow& row) const;
  void row_menu(Explorer& explorer, const PointRow& row) const;

  TableOptions options_;
  TableOptions derived_options_;
  std::vector<ParameterChoices> parameters_;
  bool several_kernels_ = false;
  std::vector<PointColumn> columns_;
  PointRows rows_;
  std::vector<std::uint32_t> order_;
  /// Whether has_latency() last showed or hid the columns of latency; nothing until the table has been laid out once,
  /// because its first frame restores ImGui's settings.
  std::optional<bool> shows_latency_;
  /// The same of the column that says which points are of an older source.
  std::optional<bool> shows_source_;
  std::string table_id_;
  std::string laid_out_;
};

void PointsTablePanel::draw(Explorer& explorer) {
  update_columns(explorer);
  const bool changed =
      rows_.update(explorer.points().list(), explorer.points().recorded(), explorer.kernels().sources());
  if (!rows_.is_complete()) explorer.draw_again();
  if (rows_.rows().empty()) {
    empty_state("No points yet",
                "Every configuration that is measured becomes a row here: move a slider, start a sweep, or "
                "open a session.");
    return;
  }
  draw_filter(explorer);
  if (changed || options_ != derived_options_ || order_.size() > rows_.rows().size()) {
    derived_options_ = options_;
    order_ = options_.sorted
                 ? rows_.ordered(options_.filter, columns_[options_.sort_column], options_.descending)
                 : rows_.newest_first(options_.filter);
  }
  draw_table(explorer);
}

void PointsTablePanel::update_columns(const Explorer& explorer) {
  std::vector<ParameterChoices> parameters = choices_of(explorer.selection().kernel());
  const bool same = parameters == parameters_ && rows_.several_kernels() == several_kernels_;
  if (!columns_.empty() && same) return;
  parameters_ = std::move(parameters);
  several_kernels_ = rows_.several_kernels();
  columns_ = point_columns(parameters_, several_kernels_);
  options_.sorted = false;
}

void PointsTablePanel::draw_filter(const Explorer& explorer) {
  ImGui::SetNextItemWidth(em() * 18);
  ImGui::InputTextWithHint("##filter", "Filter: BLOCK_M=64 causal", &options_.filter.text);
  landmark("points.filter");
  help_tooltip(
      "Words that must all occur in the kernel, the configuration, the shape, the device or the status.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em() * 10);
  const std::string shown = options_.filter.status ? to_string(*options_.filter.status) : "every status";
  if (ImGui::BeginCombo("##status", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable("every status", !options_.filter.status)) options_.filter.status.reset();
    for (const Status status : statuses) {
      if (ImGui::Selectable(to_string(status).c_str(), options_.filter.status == status))
        options_.filter.status = status;
    }
    ImGui::EndCombo();
  }
  landmark("points.status");
  if (!explorer.points().recorded().empty()) {
    ImGui::SameLine();
    ImGui::Checkbox("recorded", &options_.filter.recorded);
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const auto shown_count = static_cast<std::int64_t>(order_.size());
  const auto count = static_cast<std::int64_t>(rows_.rows().size());
  text_muted(shown_count == count ? format_points(static_cast<std::size_t>(count))
                                  : format_count(shown_count) + " of " + format_count(count) + " points");
}

/// The columns that are all empty when nothing was timed.
bool is_of_latency(const PointColumn& column) {
  return column.shown && column.of_timing;
}

float arrow_width() {
  return em() * 1.1F;
}

float column_width(const PointColumn& column) {
  const float header = ImGui::CalcTextSize(column.header.c_str()).x;
  const MonoText mono;
  return std::max(header, ImGui::CalcTextSize(column.widest.c_str()).x);
}

/// A number's header is right-aligned over its digits; ImGui draws the sorting arrow to its left.
void draw_header(const PointColumn& column) {
  if (!column.is_number || column.tag == "rank") {
    ImGui::TableHeader(column.header.c_str());
    return;
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool sorted = (ImGui::TableGetColumnFlags() & ImGuiTableColumnFlags_IsSorted) != 0;
  const float room = ImGui::GetContentRegionAvail().x - (sorted ? arrow_width() : 0);
  ImGui::TableHeader(("##" + column.header).c_str());
  const float x = corner.x + std::max(0.0F, room - ImGui::CalcTextSize(column.header.c_str()).x);
  ImGui::GetWindowDrawList()->AddText({x, corner.y}, to_u32(palette().text), column.header.c_str());
}

void PointsTablePanel::setup_columns() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const PointColumn& column = columns_[i];
    ImGuiTableColumnFlags flags = column.shown ? 0 : ImGuiTableColumnFlags_DefaultHide;
    if (column.tag == "status") flags |= ImGuiTableColumnFlags_NoHide;
    if (column.metric != nullptr && column.metric->value != nullptr && !column.metric->smaller_is_better) {
      flags |= ImGuiTableColumnFlags_PreferSortDescending;
    }
    // Fixed rather than fitted, so that rows that come into view later are not cut off.
    const float width = column_width(column);
    ImGui::TableSetupColumn(column.header.c_str(), flags, width, static_cast<ImGuiID>(i));
  }
  ImGui::TableSetupScrollFreeze(2, 1);
  show_columns_with_figures();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    draw_header(columns_[i]);
    landmark("points.header." + columns_[i].header);
    help_tooltip(columns_[i].help);
  }
}

/// Columns that would be empty are hidden. Only when that changes, so that the user's choice of columns is kept.
void PointsTablePanel::show_columns_with_figures() {
  if (laid_out_ != table_id_) {
    laid_out_ = table_id_;
    shows_latency_.reset();
    shows_source_.reset();
    return;
  }
  const auto show_where = [&](std::optional<bool>& shown, bool wanted, auto is_meant) {
    if (shown == wanted) return;
    shown = wanted;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (is_meant(columns_[i])) ImGui::TableSetColumnEnabled(static_cast<int>(i), wanted);
    }
  };
  show_where(shows_latency_, rows_.has_latency(), is_of_latency);
  show_where(shows_source_, rows_.has_older_source(),
             [](const PointColumn& column) { return column.tag == "source"; });
}

void PointsTablePanel::read_sorting() {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  options_.sorted = specs->SpecsCount > 0;
  if (options_.sorted) {
    options_.sort_column = std::min<std::size_t>(specs->Specs[0].ColumnUserID, columns_.size() - 1);
    options_.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  specs->SpecsDirty = false;
}

void PointsTablePanel::draw_table(Explorer& explorer) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Sortable |
                                ImGuiTableFlags_SortTristate | ImGuiTableFlags_Hideable |
                                ImGuiTableFlags_Reorderable | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  // A table of its own for each kernel: other parameters are other columns.
  table_id_ = "points of " + explorer.selection().kernel().name + (several_kernels_ ? " among others" : "");
  if (!ImGui::BeginTable(table_id_.c_str(), static_cast<int>(columns_.size()), flags,
                         ImGui::GetContentRegionAvail()))
    return;
  setup_columns();
  read_sorting();
  draw_rows(explorer);
  ImGui::EndTable();
}

void PointsTablePanel::draw_rows(Explorer& explorer) {
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order_.size()));
  while (clipper.Step()) {
    for (int place = clipper.DisplayStart; place < clipper.DisplayEnd; ++place) {
      draw_row(explorer, static_cast<std::size_t>(place));
    }
  }
}

int PointsTablePanel::status_column() const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [](const PointColumn& column) { return column.tag == "status"; });
  return static_cast<int>(found - columns_.begin());
}

void PointsTablePanel::draw_row(Explorer& explorer, std::size_t place) {
  const PointRow& row = rows_.rows()[order_[place]];
  ImGui::TableNextRow();
  // In the column that cannot be hidden: in a hidden one nothing would answer the mouse.
  ImGui::TableSetColumnIndex(status_column());
  ImGui::PushID(static_cast<int>(order_[place]));
  const bool is_current = explorer.shown_point() == row.point;
  const ImGuiSelectableFlags flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;
  if (ImGui::Selectable("##row", is_current, flags)) explorer.show_point(row.point);
  landmark("row." + std::to_string(place));
  row_menu(explorer, row);
  ImGui::PopID();
  draw_cells(row);
}

void PointsTablePanel::draw_cells(const PointRow& row) const {
  const bool right = row.point->status == Status::ok;
  const ImVec4 body = row.recorded || row.older_source ? palette().muted : palette().text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const PointColumn& column = columns_[i];
    const std::string text = cell_text(row, column);
    if (text.empty()) continue;
    if (column.is_number) {
      const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
      if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
    }
    const bool is_status = column.tag == "status";
    const bool by_status = (is_status || !right) && !row.older_source;
    text_colored(by_status ? color_of(row.point->status) : body, text);
    if (is_status && !right) help_tooltip(row.point->reason);
  }
}

void PointsTablePanel::row_menu(Explorer& explorer, const PointRow& row) const {
  if (!ImGui::BeginPopupContextItem("row menu")) return;
  if (ImGui::MenuItem("Return to this configuration")) explorer.go_to(*row.point);
  if (ImGui::MenuItem("Copy as command line")) ImGui::SetClipboardText(command_line(*row.point).c_str());
  if (ImGui::MenuItem("Copy the configuration"))
    ImGui::SetClipboardText(to_string(row.point->parameters).c_str());
  ImGui::EndPopup();
}

const RegisterPanel register_points_table_panel{[] { return std::make_unique<PointsTablePanel>(); }};

}  // namespace

}  // namespace tilescope
