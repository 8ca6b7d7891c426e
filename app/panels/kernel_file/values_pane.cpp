#include "app/panels/kernel_file/values_pane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

namespace tilescope {
namespace {

void draw_progress(const TriedValues& tried) {
  const std::size_t done = tried.rows().size(), all = tried.combinations().size();
  ImGui::ProgressBar(static_cast<float>(done) / static_cast<float>(all), {-FLT_MIN, em() * 0.6F}, "");
  const std::string stage = tried.stage();
  text_muted(
      fmt::format("{} of {} executed{}", done, all, stage.empty() ? "..." : ", now: " + stage + "..."));
  landmark("kernel_file.trying");
}

void draw_outcome(TriedValues& tried) {
  if (!tried.summary().empty()) {
    text_wrapped(palette().text, tried.summary() + ".");
    landmark("kernel_file.fastest");
  }
  if (tried.rows().size() < tried.combinations().size())
    text_wrapped(palette().muted, fmt::format("Cancelled: {} of {} executed.", tried.rows().size(),
                                              tried.combinations().size()));
  if (tried.rows().empty()) return;
  if (ImGui::Button("Keep points")) tried.keep_in_session();
  landmark("kernel_file.keep_tried");
  help_tooltip("Adds these points to the session: tables, plots, reports and later comparisons have them.");
}

/// The mark of a row's control: "kernel_file.vary", and "kernel_file.vary_2" in the second row.
std::string mark_in_row(const char* control, std::size_t place) {
  return place == 0 ? control : fmt::format("{}_{}", control, place + 1);
}

// [px]
float width_of_names(const std::vector<VariedRow>& rows) {
  float longest = em() * 5;
  for (const VariedRow& row : rows) longest = std::max(longest, ImGui::CalcTextSize(row.what.c_str()).x);
  return std::min(longest + 2.5F * ImGui::GetFrameHeight(), em() * 18);
}

}  // namespace

bool ValuesPane::is_drafted(const std::string& what) const {
  return std::ranges::find(drafts_, what, &Draft::what) != drafts_.end();
}

const VariedRow* ValuesPane::next_to_vary(const std::vector<VariedRow>& rows) const {
  std::vector<VariedRow> others = rows;
  std::erase_if(others, [&](const VariedRow& row) { return is_drafted(row.what); });
  const VariedRow* next = first_to_vary(others);
  return next == nullptr ? nullptr : &*std::ranges::find(rows, next->what, &VariedRow::what);
}

/// Rows of another kernel, or of a newer file, go.
void ValuesPane::follow(const std::vector<VariedRow>& rows) {
  std::erase_if(drafts_, [&](const Draft& draft) {
    return std::ranges::find(rows, draft.what, &VariedRow::what) == rows.end();
  });
  if (drafts_.empty()) {
    const VariedRow& first = *first_to_vary(rows);
    drafts_.push_back({first.what, fmt::format("{}", fmt::join(first.values, ", "))});
  }
}

void ValuesPane::draw_name(const std::vector<VariedRow>& rows, std::size_t place, float width) {
  Draft& draft = drafts_[place];
  const std::string mark = mark_in_row("kernel_file.vary", place);
  ImGui::SetNextItemWidth(width);
  const bool is_open = ImGui::BeginCombo("##what", draft.what.c_str(), ImGuiComboFlags_HeightLarge);
  landmark(mark);
  help_tooltip("A constant of the source, or a number of the launch.");
  if (!is_open) return;
  for (const VariedRow& row : rows) {
    if (row.what != draft.what && is_drafted(row.what)) continue;
    if (ImGui::Selectable(row.what.c_str(), row.what == draft.what))
      draft = {row.what, fmt::format("{}", fmt::join(row.values, ", "))};
    landmark(mark + "." + row.what);
  }
  ImGui::EndCombo();
}

bool ValuesPane::draw_drafts(const std::vector<VariedRow>& rows) {
  const float cross = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemSpacing.x;
  const float name = width_of_names(rows);
  const float values = std::min(em() * 22, ImGui::GetContentRegionAvail().x - name - cross - 2 * gap);
  bool starts = false;
  std::optional<std::size_t> removed;
  for (std::size_t place = 0; place < drafts_.size(); ++place) {
    ImGui::PushID(static_cast<int>(place));
    draw_name(rows, place, name);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(values);
    {
      const MonoText mono;
      const ImGuiInputTextFlags flags =
          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
      starts = ImGui::InputText("##values", &drafts_[place].values, flags) || starts;
    }
    landmark(mark_in_row("kernel_file.values", place));
    help_tooltip("Values, with commas between them.");
    if (drafts_.size() > 1) {
      ImGui::SameLine();
      if (ImGui::Button("x", {cross, cross})) removed = place;
      landmark(fmt::format("kernel_file.vary_less_{}", place + 1));
      help_tooltip(drafts_[place].what + " keeps the value that it has in the launch.");
    }
    ImGui::PopID();
  }
  if (removed) drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(*removed));
  return starts;
}

void ValuesPane::draw_buttons(const std::vector<VariedRow>& rows, TriedValues& tried, bool starts) {
  std::vector<VariedValues> varied;
  varied.reserve(drafts_.size());
  for (const Draft& draft : drafts_) varied.push_back({draft.what, split_values(draft.values)});
  const std::size_t count = count_combinations(varied);
  const bool is_possible = count > 0 && count <= max_combinations;
  const float button = ImGui::CalcTextSize("Cancel").x + 2 * ImGui::GetStyle().FramePadding.x;
  if (tried.runs()) {
    if (ImGui::Button("Cancel", {button, 0})) tried.cancel();
    landmark("kernel_file.stop");
  } else {
    ImGui::BeginDisabled(!is_possible);
    starts = ImGui::Button("Try", {button, 0}) || starts;
    ImGui::EndDisabled();
    landmark("kernel_file.try");
    help_tooltip("Compiles, checks and executes the kernel with each of the values.");
  }
  const VariedRow* next = next_to_vary(rows);
  if (next != nullptr) {
    ImGui::SameLine();
    if (ImGui::Button("Add another"))
      drafts_.push_back({next->what, fmt::format("{}", fmt::join(next->values, ", "))});
    landmark("kernel_file.vary_more");
    help_tooltip("Another constant or number, in all combinations with these.");
  }
  if (drafts_.size() > 1 || count > max_combinations) {
    const std::string words = fmt::format("{} combinations", format_count(static_cast<std::int64_t>(count)));
    const std::string most = count > max_combinations ? fmt::format(", at most {}", max_combinations) : "";
    same_line_if_fits(ImGui::CalcTextSize((words + most).c_str()).x);
    ImGui::AlignTextToFramePadding();
    text_colored(most.empty() ? palette().muted : palette().error, words + most);
    landmark("kernel_file.combinations");
  }
  if (starts && is_possible) tried.start(varied);
}

void ValuesPane::draw(OpenedFile& opened, TriedValues& tried) {
  const std::vector<VariedRow> rows = varied_rows(opened.launch());
  if (rows.empty()) {
    empty_state("Nothing to vary", "Neither the launch nor the source has a whole number with a name.");
    return;
  }
  follow(rows);
  const bool starts = draw_drafts(rows);
  draw_buttons(rows, tried, starts);
  const std::vector<std::string>& varied = tried.varied();
  if (varied.empty()) {
    text_wrapped(
        palette().muted,
        "Choose a number, and Try executes the kernel with each value: latency, result and conflicts "
        "side by side. Add another makes a table of all combinations.");
    return;
  }
  if (!tried.problem().empty()) return text_wrapped(palette().error, tried.problem());
  if (tried.is_outdated())
    text_wrapped(palette().warning, "The launch has changed since: Try executes the values anew.");
  if (tried.runs()) {
    draw_progress(tried);
  } else {
    draw_outcome(tried);
  }
  const auto clicked = table_.draw(tried, varied, rows);
  if (!clicked) return;
  for (const auto& [what, value] : *clicked) opened.choose(what, value);
}

}  // namespace tilescope
