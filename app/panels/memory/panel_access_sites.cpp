#include "profiler/views/memory/access_sites.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {

namespace {

class AccessSitesPanel : public Panel {
 public:
  AccessSitesPanel() : Panel("access-sites", "Access sites", {400, 160}) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return !rows_.empty() && (is_whole_ ? explorer.board().get<KernelCounts>().waits()
                                        : explorer.board().get<BlockRecorder>().is_outdated());
  }
  bool has_table() const override { return true; }
  std::string csv() const override { return access_sites_csv(rows_, listed_); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void draw_filter();
  void draw_scope(const Explorer& explorer) const;
  void draw_table(Explorer& explorer);
  void setup_columns();
  void draw_headers();
  void draw_rows(Explorer& explorer, std::optional<std::size_t> focused);
  void draw_row(Explorer& explorer, std::size_t place, bool is_focused);
  void draw_cell(Explorer& explorer, const AccessSiteRow& row, const SiteColumnText& column) const;
  void draw_line(Explorer& explorer, const AccessSiteRow& row, const std::string& text) const;
  void follow_focus(std::optional<std::size_t> focused);
  std::optional<std::size_t> focused_place(const Explorer& explorer) const;

  SiteOrder order_;
  SiteOrder listed_order_;
  std::uint64_t counts_revision_ = ~std::uint64_t{0}, recording_revision_ = ~std::uint64_t{0};
  /// Rows of the whole kernel, else of one block.
  bool is_whole_ = false;
  std::vector<AccessSiteRow> rows_;
  /// Into rows_, in the order of the table.
  std::vector<std::uint32_t> listed_;
  /// By column.
  std::vector<std::size_t> letters_;
  std::vector<float> widths_;
  /// "Whole kernel: all 128 blocks"
  std::string scope_;
  /// The focus whose row was scrolled into view.
  std::uint64_t followed_ = ~std::uint64_t{0};
};

void AccessSitesPanel::draw(Explorer& explorer) {
  explorer.board().get<BlockRecorder>().want();
  explorer.board().get<KernelCounts>().want();
  derive(explorer);
  if (rows_.empty()) {
    const MissingAnswer& counts = explorer.board().get<KernelCounts>().missing();
    const MissingAnswer& recording = explorer.board().get<BlockRecorder>().missing();
    const MissingAnswer& why = counts.heading.empty() ? recording : counts;
    const bool is_known = !why.heading.empty();
    if (empty_state(is_known ? why.heading : "No memory access",
                    is_known ? why.text : "The kernel accesses neither shared nor global memory.",
                    why.can_retry ? "Try again" : "")) {
      explorer.board().get<BlockRecorder>().retry();
      explorer.board().get<KernelCounts>().retry();
    }
    return;
  }
  draw_filter();
  draw_scope(explorer);
  if (listed_.empty()) {
    if (empty_state(fmt::format("No access to {} memory", memory_words(order_.kind)), "", "Show all"))
      order_.kind = SiteKind::all;
    return;
  }
  draw_table(explorer);
}

void AccessSitesPanel::derive(const Explorer& explorer) {
  const KernelCounts& counts = explorer.board().get<KernelCounts>();
  const BlockRecorder& recording = explorer.board().get<BlockRecorder>();
  const bool is_new = counts.revision() != counts_revision_ || recording.revision() != recording_revision_;
  counts_revision_ = counts.revision();
  recording_revision_ = recording.revision();
  if (is_new) {
    const SharedMeasurement point = counts.shown();
    const auto block = recording.shown();
    // Awaited counts belong to another configuration, as the block does while it is awaited too.
    is_whole_ = point && (!counts.waits() || !block || recording.is_outdated());
    rows_.clear();
    if (is_whole_) {
      // Under the sliders may be another kernel by now.
      const KernelDeclaration* kernel = explorer.kernels().find(point->kernel);
      rows_ = access_site_rows(point->memory->sites,
                               kernel == nullptr ? "" : kernel->source_path.filename().string());
      scope_ = whole_kernel_words(*point->memory);
    } else if (block) {
      rows_ = access_site_rows(memory_sites(*block), "");
      scope_ = fmt::format("Block {} of {} alone", format_count(static_cast<std::int64_t>(block->block)),
                           format_count(static_cast<std::int64_t>(block->blocks())));
    }
  }
  if (is_new) letters_ = site_letters(rows_);
  if (!is_new && order_ == listed_order_) return;
  listed_order_ = order_;
  listed_ = ordered_sites(rows_, order_);
}

void AccessSitesPanel::draw_filter() {
  SegmentedChoice choice;
  choice.id = "kind";
  choice.segments = {{"All", "access_sites.all", ""},
                     {"Shared", "access_sites.shared", ""},
                     {"Global", "access_sites.global", ""},
                     {"Local", "access_sites.local", ""}};
  choice.current = static_cast<std::size_t>(order_.kind);
  choice.fills_width = false;
  if (const auto chosen = segmented_choice(choice).chosen) order_.kind = static_cast<SiteKind>(*chosen);
}

/// Draws the scope of the figures: which blocks they cover.
void AccessSitesPanel::draw_scope(const Explorer& explorer) const {
  std::string text = scope_;
  if (explorer.board().get<KernelCounts>().waits()) text += "; the whole kernel is being counted...";
  const std::string& why = explorer.board().get<KernelCounts>().missing().heading;
  if (!is_whole_ && !explorer.board().get<KernelCounts>().waits() && !why.empty()) text += ". " + why;
  const float segments = ImGui::GetItemRectSize().y, top = ImGui::GetItemRectMin().y;
  same_line_if_fits(ImGui::CalcTextSize(text.c_str()).x);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  if (corner.y < top + segments)
    ImGui::SetCursorScreenPos({corner.x, top + std::round((segments - ImGui::GetTextLineHeight()) / 2)});
  text_wrapped(palette().muted, text);
  landmark(is_whole_ ? "access_sites.whole" : "access_sites.block");
  help_tooltip(explorer.board().get<KernelCounts>().missing().text);
  const std::string words = order_words(rows_, order_);
  if (words.empty()) return;
  const float beside = ImGui::GetItemRectMin().y;
  same_line_if_fits(ImGui::CalcTextSize(words.c_str()).x + em());
  const ImVec2 next = ImGui::GetCursorScreenPos();
  // In line with the text before it, which stands in the middle of the segments.
  if (next.y < ImGui::GetItemRectMax().y) ImGui::SetCursorScreenPos({next.x + em(), beside});
  text_muted(words);
  landmark("access_sites.order");
}

/// The row of the site that the memory panels look at, also of one that the recorded block does not have.
std::optional<std::size_t> AccessSitesPanel::focused_place(const Explorer& explorer) const {
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>();
  const auto block = explorer.board().get<BlockRecorder>().shown();
  const auto found = block ? focus.site_in(*block) : std::nullopt;
  const std::optional<RecordedSite> site =
      found ? std::optional(block->recording.sites[*found]) : focus.chosen_site();
  if (!site) return std::nullopt;
  for (std::size_t place = 0; place < listed_.size(); ++place) {
    if (is_same_site(rows_[listed_[place]], *site)) return place;
  }
  return std::nullopt;
}

void AccessSitesPanel::draw_table(Explorer& explorer) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Hideable |
                                ImGuiTableFlags_Reorderable | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  const auto columns = static_cast<int>(site_columns().size());
  if (!ImGui::BeginTable("sites", columns, flags, ImGui::GetContentRegionAvail())) return;
  setup_columns();
  ImGui::TableSetupScrollFreeze(0, 1);
  draw_headers();
  const std::optional<std::size_t> focused = focused_place(explorer);
  if (explorer.board().get<MemoryFocus>().revision() != followed_) {
    followed_ = explorer.board().get<MemoryFocus>().revision();
    follow_focus(focused);
  }
  draw_rows(explorer, focused);
  ImGui::EndTable();
}

/// As wide as the cells of all rows, seen or not; the user's own width stays until the rows need another.
void AccessSitesPanel::setup_columns() {
  widths_.resize(letters_.size());
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    const char* const header = site_columns()[i].header;
    float width = ImGui::CalcTextSize(header).x + header_arrow_width();
    {
      const MonoText mono;
      width = std::max(width, ImGui::CalcTextSize("0").x * static_cast<float>(letters_[i]));
    }
    // Takes the width only when the table is made.
    ImGui::TableSetupColumn(header, ImGuiTableColumnFlags_None, width);
    if (std::exchange(widths_[i], width) != width)
      ImGui::GetCurrentTable()->Columns[static_cast<int>(i)].WidthRequest = width;
  }
}

void AccessSitesPanel::draw_rows(Explorer& explorer, std::optional<std::size_t> focused) {
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listed_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      draw_row(explorer, place, focused == place);
    }
  }
}

void AccessSitesPanel::draw_headers() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < site_columns().size(); ++i) {
    const SiteColumnText& column = site_columns()[i];
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader((std::string("##") + column.header).c_str());
    landmark(std::string("access_sites.header.") + column.tag);
    if (header_clicked()) {
      order_ = sorted_by_next(order_, column.column);
      ImGui::SetScrollY(0);  // to the first of the new order
    }
    help_tooltip(column.help);
    draw_header_label({site_header(column, order_.kind), column.is_number,
                       order_.is_sorted && order_.column == column.column, order_.descending},
                      corner, room);
  }
}

void AccessSitesPanel::follow_focus(std::optional<std::size_t> focused) {
  if (!focused) return;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height =
      ImGui::GetCurrentTable()->InnerWindow->InnerRect.GetHeight() - row;  // Below the header.
  const float top = static_cast<float>(*focused) * row, scrolled = ImGui::GetScrollY();
  if (top >= scrolled && top + row <= scrolled + height) return;
  ImGui::SetScrollY(std::max(0.0F, top - (height - row) / 2));
}

void AccessSitesPanel::draw_row(Explorer& explorer, std::size_t place, bool is_focused) {
  const AccessSiteRow& row = rows_[listed_[place]];
  ImGui::TableNextRow();
  bool is_first = true;
  for (std::size_t i = 0; i < site_columns().size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    if (std::exchange(is_first, false)) {
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      ImGui::PushID(static_cast<int>(listed_[place]));
      // With the arrow keys the microscope follows from row to row.
      const auto flags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap |
                         static_cast<ImGuiSelectableFlags>(ImGuiSelectableFlags_SelectOnNav);
      if (ImGui::Selectable("##row", is_focused, flags)) {
        explorer.board().get<MemoryFocus>().choose_site(recorded_site(row));
        followed_ = explorer.board().get<MemoryFocus>().revision();
      }
      // Beside the link of the first column, and before a border between columns, which is dragged.
      const ImVec2 min(corner.x + em() * 4, ImGui::GetItemRectMin().y);
      const ImVec2 max(min.x + em() * 3, ImGui::GetItemRectMax().y);
      ImGui::PushClipRect(min, max, false);
      landmark(fmt::format("access_sites.row.{}", place), min, max);
      if (is_focused) landmark("access_sites.focused", min, max);
      ImGui::PopClipRect();
      if (is_focused) draw_row_bar(corner);
      ImGui::PopID();
      ImGui::SetCursorScreenPos(corner);
    }
    draw_cell(explorer, row, site_columns()[i]);
  }
}

/// How much of the cell its share is.
void draw_share(const AccessSiteRow& row, SiteColumn column) {
  const bool is_excess = column == SiteColumn::excess_share;
  if (!is_excess && column != SiteColumn::cost_share) return;
  const double share = is_excess ? row.excess_share : row.cost_share;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x * static_cast<float>(share);
  ImGui::GetWindowDrawList()->AddRectFilled(
      corner, {corner.x + width, corner.y + ImGui::GetTextLineHeight()},
      to_u32(wash(is_excess ? palette().error : palette().series[0], 0.3F)));
}

void AccessSitesPanel::draw_cell(Explorer& explorer, const AccessSiteRow& row,
                                 const SiteColumnText& column) const {
  const std::string text = site_cell(row, column.column);
  if (column.column == SiteColumn::place && row.own_line != 0) return draw_line(explorer, row, text);
  draw_share(row, column.column);
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  text_colored(palette().text, text);
}

void AccessSitesPanel::draw_line(Explorer& explorer, const AccessSiteRow& row,
                                 const std::string& text) const {
  ImGui::PushID(&row);
  if (line_link("line", text, palette().accent)) {
    explorer.board().get<MemoryFocus>().choose_site(recorded_site(row));
    explorer.line_shown();
  }
  ImGui::PopID();
  landmark(fmt::format("access_sites.line.{}", row.own_line));
  help_tooltip(row.site.instruction + "\n" + line_link_hint);
}

const RegisterPanel register_access_sites_panel{[] { return std::make_unique<AccessSitesPanel>(); }};

}  // namespace

}  // namespace tilescope
