#include "app/window/performance_page.hpp"

#include <imgui.h>

#include <string>

#include "app/explorer/latency_meter_text.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

namespace {

void muted(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

void explain(const std::string& help) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip) || !ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
  ImGui::TextUnformatted(help.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// At the right edge of the column, so that digits align.
void right_aligned(const std::string& text, const ImVec4& color) {
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
  ImGui::TextColored(color, "%s", text.c_str());
}

void draw_row(const LatencyMeterTable::Row& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(row.title.c_str());
  landmark("performance.row." + row.title);
  explain(row.help);
  ImGui::PushFont(fonts().mono, 0);
  ImGui::TableNextColumn();
  right_aligned(row.moves, palette().text);
  for (const LatencyMeterTable::Cell& cell : row.drawn) {
    ImGui::TableNextColumn();
    const bool is_known = !cell.p90.empty();
    right_aligned(cell.median, is_known ? palette().text : palette().muted);
    // Rows keep their height.
    if (is_known) {
      right_aligned(cell.p90, palette().muted);
    } else {
      ImGui::NewLine();
    }
  }
  ImGui::PopFont();
}

void draw_table(const LatencyMeterTable& table) {
  const int columns = static_cast<int>(table.headers.size()) + 2;
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchSame;
  if (!ImGui::BeginTable("stages", columns, flags)) return;
  ImGui::TableSetupColumn("Answer", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("Moves");
  for (const std::string& header : table.headers) ImGui::TableSetupColumn(header.c_str());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextColored(palette().muted, "Answer");
  ImGui::TableNextColumn();
  right_aligned("Moves", palette().muted);
  for (const std::string& header : table.headers) {
    ImGui::TableNextColumn();
    right_aligned(header, palette().muted);
  }
  for (const LatencyMeterTable::Row& row : table.rows) draw_row(row);
  ImGui::EndTable();
}

}  // namespace

void draw_performance(const LatencyMeter& meter) {
  if (meter.moves() == 0) {
    ImGui::TextUnformatted("No move yet");
    landmark("performance.empty");
    muted(
        "Move a slider: the time from the move to the frame that shows each stage of its answer is listed "
        "here.");
    return;
  }
  muted(
      "From the move to the frame that shows a stage [ms]: the median, below it the 90th percentile. Of the "
      "last " +
      std::to_string(LatencyMeter::moves_kept) +
      " moves. Every time begins with the move, so they do not add up: without a GPU a kernel is checked "
      "while its machine code is still compiled. Of stages that came between two frames only the last was "
      "drawn.");
  ImGui::Spacing();
  const LatencyMeterTable table = latency_meter_table(meter);
  draw_table(table);
  ImGui::Spacing();
  for (std::size_t i = 0; i < table.stalls.size(); ++i) {
    ImGui::TextWrapped("%s", table.stalls[i].text.c_str());
    landmark("performance.stall." + std::to_string(i));
    explain(table.stalls[i].help);
  }
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(latency_meter_text(meter).c_str());
  landmark("performance.copy");
}

}  // namespace tilescope
