#include "app/widgets/bank_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/vectors.hpp"
#include "app/widgets/bank_grid_painter.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// Labels every n-th word, so that labels of this size do not touch: a power of two.
std::int64_t label_step(float cell, float label) {
  std::int64_t step = 1;
  while (static_cast<float>(step) * cell < label && step < (std::int64_t{1} << 40)) step *= 2;
  return step;
}

void label_banks(ImDrawList& draw, const BankGridZoom& zoom, const BankGridContents& contents,
                 const BankGridCanvas& canvas) {
  const float width = zoom.cell_width();
  const std::int64_t step = label_step(width, small_text_size("00").x + em() * 0.4F);
  const float top = canvas.min.y - small_line_height() - 4 * ui_scale();
  small_text(draw, {canvas.min.x - em() * 0.4F - small_text_size("bank").x, top}, palette().muted, "bank");
  draw.PushClipRect({canvas.min.x, top}, {canvas.max.x, canvas.min.y}, true);
  for (std::int64_t bank = zoom.first_bank(); bank < zoom.end_bank(); ++bank) {
    if (bank % step != 0) continue;
    const std::string label = std::to_string(bank);
    const float left = std::max(canvas.min.x, canvas.at(bank, 0).x);
    const float right = std::min(canvas.max.x, canvas.at(bank + 1, 0).x);
    const float label_width = small_text_size(label).x;
    // The edges of a cell are whole pixels: it may be up to a pixel narrower than cells are on average.
    const bool is_cut = right - left < std::min(width - 1, label_width);
    if (is_cut) continue;
    const ImVec2 at{(left + right - label_width) / 2, top};
    small_text(draw, at, palette().muted, label);
    if (landmarks_enabled())
      landmark("shared_memory.bank." + label, at, at + ImVec2{label_width, small_line_height()});
  }
  // A bar over the banks in which words collide.
  for (const TouchedWord& word : contents.touched) {
    if (!word.collides()) continue;
    const std::int64_t bank = word.word % grid_banks;
    draw.AddRectFilled({canvas.at(bank, 0).x + 1, canvas.min.y - 4 * ui_scale()},
                       {canvas.at(bank + 1, 0).x, canvas.min.y - 1}, to_u32(palette().error));
  }
  draw.PopClipRect();
}

/// `room` [px] is left of the grid.
void label_rows(ImDrawList& draw, const BankGridZoom& zoom, const BankGridCanvas& canvas, float room) {
  const float row_height = zoom.cell_height();
  const std::int64_t step = label_step(row_height, 1.3F * small_line_height());
  bool is_first = true;
  for (std::int64_t row = (zoom.first_row() + step - 1) / step * step; row < zoom.end_row(); row += step) {
    std::string label = format_count(row * bank_row_bytes);
    // The unit once, where there is room for it.
    if (std::exchange(is_first, false) && small_text_size(label + " B").x <= room) label += " B";
    const float from = std::max(canvas.min.y, canvas.at(0, row).y);
    const float below = std::max(0.0F, (std::min(row_height, 2.0F * em()) - small_line_height()) / 2);
    if (from + small_line_height() > std::min(canvas.max.y, canvas.at(0, row + step).y)) continue;
    small_text(draw, {canvas.min.x - em() * 0.4F - small_text_size(label).x, from + below}, palette().muted,
               label);
  }
}

}  // namespace

/// Not as strong as in a plot: the areas are large, and marks lie on them.
ImVec4 color_of(const BankGridPart& part) {
  constexpr float opacity = 0.75F;
  return blend(wash(palette().series[part.color % palette().series.size()], opacity), palette().plot);
}

void BankGridWidget::update_boxes(const BankGridContents& contents) {
  const float least_line = std::max(1.0F, std::round(1.5F * ui_scale()));
  BoxesOf now{
      contents.revision,     contents.coloring,
      contents.grid.front(), zoom_.first_row(),
      zoom_.end_row(),       std::max<std::int64_t>(1, std::lround(least_line / zoom_.cell_height()))};
  // Lines begin at the same rows when the grid is panned.
  now.first_row -= now.first_row % now.rows_per_line;
  if (now == boxes_of_) return;
  boxes_of_ = now;
  if (contents.coloring == BankGridColoring::tiles) {
    boxes_ = contents.grid.boxes(now.first_row, now.end_row, now.rows_per_line);
    return;
  }
  if (contents.coloring == BankGridColoring::contents) {
    boxes_ = contents_boxes(contents.grid, *contents.values, now.first_row, now.end_row, now.rows_per_line);
    return;
  }
  const bool reads = contents.coloring == BankGridColoring::reads;
  boxes_ = heat_boxes(contents.grid, reads ? contents.counts->reads : contents.counts->writes,
                      reads ? contents.counts->most_reads : contents.counts->most_writes, now.first_row,
                      now.end_row, now.rows_per_line);
}

std::optional<std::int64_t> BankGridWidget::react(const BankGridContents& contents,
                                                  const BankGridCanvas& canvas) {
  ImGui::SetCursorScreenPos(canvas.min);
  ImGui::InvisibleButton("cells", canvas.max - canvas.min);
  landmark("plot.shared_memory", canvas.min, canvas.max);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos - canvas.min;
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    zoom_.pan(io.MouseDelta.x, io.MouseDelta.y);
  }
  if (!ImGui::IsItemHovered()) return std::nullopt;
  constexpr float step = 1.25F;
  if (io.MouseWheel != 0) zoom_.zoom(std::pow(step, io.MouseWheel), mouse.x, mouse.y);
  if (io.MouseWheelH != 0) zoom_.pan(io.MouseWheelH * em() * 3, 0);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) zoom_.reset();
  const auto row = static_cast<std::int64_t>(std::floor(zoom_.row_at(mouse.y)));
  const auto byte_in_row = static_cast<std::int64_t>(std::floor(zoom_.bank_at(mouse.x) * bank_word_bytes));
  const std::int64_t byte = row * bank_row_bytes + byte_in_row;
  const bool is_inside = row >= 0 && byte_in_row >= 0 && byte_in_row < bank_row_bytes;
  return is_inside && byte < contents.grid.bytes() ? std::optional(byte) : std::nullopt;
}

std::optional<std::int64_t> BankGridWidget::draw(const BankGridContents& contents, ImVec2 size) {
  const MonoText mono;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float labels = small_text_size(format_count(contents.grid.rows() * bank_row_bytes)).x + em() * 0.6F;
  const ImVec2 corner{std::round(origin.x + labels),
                      std::round(origin.y + small_line_height() + 5 * ui_scale())};
  const ImVec2 end{std::max(corner.x + em() * 4, origin.x + size.x),
                   std::max(corner.y + em(), origin.y + size.y)};
  zoom_.set_area(end.x - corner.x, end.y - corner.y, contents.grid.rows(), 2.2F * em());
  const BankGridCanvas canvas{zoom_, corner, end, *ImGui::GetWindowDrawList()};
  const std::optional<std::int64_t> hovered = react(contents, canvas);
  update_boxes(contents);

  canvas.draw.AddRectFilled(corner, end, to_u32(palette().plot));
  canvas.draw.PushClipRect(corner, end, true);
  const BankGridPainter painter(contents, canvas);
  painter.boxes(boxes_);
  painter.lines();
  painter.texts();
  painter.touched();
  painter.watched();
  painter.names();
  painter.marked_byte();
  canvas.draw.PopClipRect();
  label_banks(canvas.draw, zoom_, contents, canvas);
  label_rows(canvas.draw, zoom_, canvas, labels - em() * 0.4F);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(size);
  return hovered;
}

void bank_heat_scale(const char* text, std::uint32_t most) {
  text_muted(text);
  ImGui::SameLine();
  text_muted("1");
  ImGui::SameLine(0, em() * 0.4F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float step = std::round(em() * 0.7F), height = ImGui::GetTextLineHeight();
  for (int level = 1; level <= heat_levels; ++level) {
    const float x = at.x + static_cast<float>(level - 1) * step;
    ImGui::GetWindowDrawList()->AddRectFilled({x, at.y}, {x + step, at.y + height},
                                              to_u32(heat_color(level)));
  }
  ImGui::Dummy({step * heat_levels, height});
  ImGui::SameLine(0, em() * 0.4F);
  text_muted(format_count(most));
}

}  // namespace tilescope
