#include "app/panels/model/model_tables.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {

namespace {

constexpr ImGuiTableFlags table_flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH;

void draw_right(const ImVec4& color, const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room));
  text_colored(color, text);
}

void draw_number(const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  draw_right(palette().text, text);
}

/// A header with what its figures mean.
struct Header {
  /// In lines, which all stand at the right of a column of numbers.
  const char* text;
  const char* help;
  /// [em] 0: the width that the others leave.
  float width;
  bool is_number = true;
};

template <std::size_t n>
void draw_headers(const std::array<Header, n>& headers) {
  for (const Header& header : headers) {
    ImGui::TableSetupColumn(
        header.text, header.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
        header.width > 0 ? header.width * em() : 1);
  }
  ImGui::TableNextRow();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  for (const Header& header : headers) {
    ImGui::TableNextColumn();
    ImGui::BeginGroup();
    for (std::string_view rest = header.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string line(rest.substr(0, end));
      if (header.is_number) {
        draw_right(palette().muted, line);
      } else {
        text_muted(line);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    ImGui::EndGroup();
    help_tooltip(header.help);
  }
  ImGui::PopStyleVar();
}

/// "6.7": the unit is in the header.
std::string percent_number(double fraction) {
  return format_number(fraction * 100, 1);
}

void draw_miss(const ErrorsView& view, std::size_t index) {
  const ErrorDot& dot = view.worst[index];
  const Measurement& point = *view.points[dot.entry];
  {
    const MonoText mono;
    draw_right(palette().text, signed_percent(dot.error));
  }
  draw_number(format_us(dot.measured_us));
  draw_number(format_us(dot.predicted_us));
  ImGui::TableNextColumn();
  text_colored(palette().text, point.kernel);
  ImGui::TableNextColumn();
  const std::string words = problem_words(point) + "  " + to_string(point.parameters);
  text_in_one_line(palette().muted, words);
}

}  // namespace

void draw_error_rows(const char* title, const std::vector<ErrorRow>& rows) {
  if (rows.empty() || !ImGui::BeginTable(title, 6, table_flags)) return;
  draw_headers(std::array{
      Header{title, "", 0, false}, Header{"n", "Points with a measured and a predicted latency", 3},
      Header{"Mean\nerror [%]", "Mean of |predicted - measured| / measured", 5.2F},
      Header{"p90\nerror [%]", "90 % of the points have at most this error", 5.2F},
      Header{
          "In band [%]\ngoal 90 %",
          "Points whose measured p50 lies between the prediction's bounds. Goal: 90 % for a device that was "
          "fitted; the band of others is wide and assumed.",
          6.3F},
      Header{"Error of the\nroofline alone [%]",
             "Mean of |roofline - measured| / measured: the roofline time in the place of the prediction",
             9}});
  for (const ErrorRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_in_one_line(palette().text, row.name);
    landmark("model.errors." + row.name);
    draw_number(format_count(static_cast<std::int64_t>(row.points)));
    draw_number(percent_number(row.mean_error));
    draw_number(percent_number(row.p90_error));
    draw_number(percent_number(row.within_band));
    draw_number(row.roofline_error ? percent_number(*row.roofline_error) : "-");
  }
  ImGui::EndTable();
}

std::optional<std::uint32_t> draw_worst(const ErrorsView& view, const Measurement* current) {
  std::optional<std::uint32_t> clicked;
  if (view.worst.empty() || !ImGui::BeginTable("worst", 5, table_flags)) return clicked;
  draw_headers(std::array{Header{"Error", "(predicted - measured) / measured", 5},
                          Header{"Measured [µs]", "p50", 7}, Header{"Predicted [µs]", "p50", 7},
                          Header{"Kernel", "", 7, false}, Header{"Shape and configuration", "", 0, false}});
  for (std::size_t i = 0; i < view.worst.size(); ++i) {
    const std::uint32_t entry = view.worst[i].entry;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorPos();
    if (ImGui::Selectable("##miss", view.points[entry].get() == current, ImGuiSelectableFlags_SpanAllColumns))
      clicked = entry;
    landmark("model.miss." + std::to_string(i));
    const bool is_hovered = ImGui::IsItemHovered();
    ImGui::SetCursorPos(corner);
    draw_miss(view, i);
    ImGui::PopID();
    if (!is_hovered || !ImGui::BeginTooltip()) continue;
    const Measurement& point = *view.points[entry];
    tooltip_body(point.kernel + ": " + to_string(point.parameters), error_tooltip(point),
                 "Click to show this point.");
    ImGui::EndTooltip();
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace tilescope
