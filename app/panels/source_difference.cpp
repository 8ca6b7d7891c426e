#include "app/panels/source_difference.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/text.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {

namespace {

void dress(CodeRow& line, DiffKind kind) {
  line.color = palette().text;
  switch (kind) {
    case DiffKind::same:
      line.color = palette().muted;
      break;
    case DiffKind::renamed:
      line.sign = '~';
      break;
    case DiffKind::removed:
      line.sign = '-';
      line.background = wash(palette().error, 2 * tint_opacity);
      break;
    case DiffKind::added:
      line.sign = '+';
      line.background = wash(palette().ok, 2 * tint_opacity);
      break;
  }
}

}  // namespace

void SourceDifference::update(Explorer& explorer) {
  explorer.comparison().want();
  explorer.code_difference().want(explorer);
  if (code_ == explorer.code_difference().code()) return;
  code_ = explorer.code_difference().code();
  cursor_.reset();
}

std::string SourceDifference::csv() const {
  return code_ ? diff_csv(code_->diff, code_->left(), code_->right()) : std::string();
}

void SourceDifference::go_to_hunk(bool forward) {
  const std::vector<std::uint32_t>& hunks = code_->diff.hunks;
  if (hunks.empty()) return;
  auto next = hunks.begin();
  if (forward) {
    next = cursor_ ? std::upper_bound(hunks.begin(), hunks.end(), *cursor_) : hunks.begin();
    if (next == hunks.end()) next = hunks.begin();
  } else {
    next = cursor_ ? std::lower_bound(hunks.begin(), hunks.end(), *cursor_) : hunks.begin();
    next = next == hunks.begin() ? hunks.end() - 1 : next - 1;
  }
  cursor_ = scroll_to_ = *next;
}

void SourceDifference::draw_header(const Explorer& explorer) {
  const ComparisonPair& pair = explorer.comparison();
  if (const Point a = pair.point(Side::a), b = pair.point(Side::b); a && b) {
    text_wrapped(palette().text, "- A: " + side_name(*a, *b));
    text_wrapped(palette().text, "+ B: " + side_name(*b, *a));
    landmark("source.difference.sides");
  }
  ImGui::BeginDisabled(code_->diff.hunks.empty());
  if (ImGui::ArrowButton("##previous_hunk", ImGuiDir_Up)) go_to_hunk(false);
  landmark("source.hunk.previous");
  ImGui::SameLine();
  if (ImGui::ArrowButton("##next_hunk", ImGuiDir_Down)) go_to_hunk(true);
  landmark("source.hunk.next");
  ImGui::EndDisabled();
  help_tooltip("The next stretch of instructions that only one of the codes has.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().muted, diff_summary(code_->diff) + ".");
  landmark("source.difference.summary");
}

void SourceDifference::draw_missing(const Explorer& explorer) const {
  for (const CodeListing* listing : {&explorer.side_listing(Side::a), &explorer.side_listing(Side::b)}) {
    const MissingAnswer& missing = listing->missing();
    if (!missing.heading.empty()) {
      empty_state(missing.heading, missing.text);
      return;
    }
    const std::string why = listing->code() ? listing->code()->answer.machine_code.why_none : "";
    if (!why.empty()) {
      empty_state("No machine code to compare", why);
      return;
    }
  }
  empty_state("Comparing...", "");
}

std::optional<std::uint32_t> SourceDifference::draw(const Explorer& explorer, const SourceSearch& search) {
  if (!code_) {
    draw_missing(explorer);
    return std::nullopt;
  }
  draw_header(explorer);
  const std::vector<DiffRow>& rows = code_->diff.rows;
  CodeList list;
  list.id = "source.difference";
  list.count = rows.size();
  list.text_columns = code_->longest;
  list.has_signs = true;
  list.search = search.text();
  if (const auto hit = search.current()) list.current_hit = hit->row;
  list.cursor = cursor_;
  list.scroll_to = std::exchange(scroll_to_, std::nullopt);
  list.row = [&](std::size_t i) {
    CodeRow drawn;
    if (!code_->line(i).is_label()) drawn.label = fmt::format("{:04x}", code_->line(i).address);
    drawn.text = code_->lines[i];
    dress(drawn, rows[i].kind);
    drawn.is_chosen = cursor_ == i;
    return drawn;
  };
  const CodeListAction action = code_list(list);
  if (!action.chosen) return std::nullopt;
  cursor_ = static_cast<std::uint32_t>(*action.chosen);
  return explorer.comparison().follows_sliders(Side::b) ? rows[*action.chosen].right : std::nullopt;
}

}  // namespace tilescope
