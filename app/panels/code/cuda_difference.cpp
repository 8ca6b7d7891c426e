#include "app/panels/code/cuda_difference.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

int digits_of(const SourceDiff& diff) {
  std::uint32_t last = 0;
  for (const SourceDiffRow& row : diff.rows)
    last = std::max({last, row.lines.left.value_or(0), row.lines.right.value_or(0)});
  return static_cast<int>(std::to_string(last + 1).size());
}

}  // namespace

void CudaDifferenceView::update(Explorer& explorer) {
  auto& difference = explorer.board().get<CudaDifference>();
  difference.want();
  if (sources_ != difference.sources()) {
    sources_ = difference.sources();
    cursor_.reset();
    if (!sources_) return;
    digits_ = digits_of(sources_->diff);
    // A kernel's file begins with a page of comments and declarations.
    if (!sources_->diff.hunks.empty()) cursor_.go_to(sources_->diff.hunks.front());
  }
  if (const auto row = difference.take_clicked_row()) cursor_.go_to(static_cast<std::uint32_t>(*row));
}

std::string CudaDifferenceView::csv() const {
  return has_both() ? diff_csv(sources_->diff) : std::string();
}

void CudaDifferenceView::draw_missing() const {
  if (!sources_) return static_cast<void>(empty_state("Comparing...", ""));
  const SideSource& side = sources_->side(sources_->side(Side::a).compiled ? Side::b : Side::a);
  empty_state(side.missing.heading, side.missing.text);
  landmark("source.difference.missing");
}

/// One that is of both sides is said once.
void CudaDifferenceView::draw_remarks() const {
  const SideSource &a = sources_->side(Side::a), &b = sources_->side(Side::b);
  const bool is_of_both = a.remark == b.remark;
  for (const Side side : both_sides) {
    const SideSource& source = sources_->side(side);
    if (source.remark.empty() || (is_of_both && side == Side::b)) continue;
    const std::string name = is_of_both ? "A and B" : to_string(side);
    text_wrapped(source.is_doubtful ? palette().warning : palette().muted, name + ": " + source.remark);
    landmark((source.is_doubtful ? "source.difference.doubt." : "source.difference.remark.") + name);
  }
}

void CudaDifferenceView::draw_header() {
  const SourceDiff& diff = sources_->diff;
  text_wrapped(palette().text, "- A: " + left_command(diff, sources_->side(Side::a).compiled->source));
  text_wrapped(palette().text, "+ B: " + right_command(diff, sources_->side(Side::b).compiled->source));
  landmark("source.difference.sides");
  draw_remarks();
  cursor_.draw_buttons(diff.hunks,
                       "The next stretch of lines that differ, or that name a macro whose value does.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().muted, diff_summary(diff) + ".");
  landmark("source.difference.summary");
}

/// The numbers of a line in A and in B.
std::string CudaDifferenceView::label(std::size_t row) const {
  const SourceDiffRow& at = sources_->diff.rows[row];
  if (at.is_heading) return "";
  const auto number = [](const std::optional<std::uint32_t>& line) {
    return line ? std::to_string(*line + 1) : std::string();
  };
  return fmt::format("{:>{}} {:>{}}", number(at.lines.left), digits_, number(at.lines.right), digits_);
}

void CudaDifferenceView::draw_rows(const SourceSearch& search) {
  const SourceDiff& diff = sources_->diff;
  CodeList list;
  list.id = "source.difference.cuda";
  list.count = diff.rows.size();
  list.label_columns = static_cast<std::size_t>(2 * digits_ + 1);
  list.label_heading = fmt::format("{:>{}} {:>{}}", "A", digits_, "B", digits_);
  list.text_columns = sources_->longest;
  list.has_signs = true;
  list.search = search.text();
  if (const auto hit = search.current()) list.current_hit = hit->row;
  cursor_.place_in(list);
  list.row = [&](std::size_t i) {
    CodeRow drawn;
    drawn.label = label(i);
    drawn.text = diff.texts[i];
    dress(drawn, diff.rows[i].lines.kind);
    if (diff.rows[i].is_heading) {
      drawn.color = palette().accent;
      if (drawn.background.w == 0) drawn.background = palette().raised;
    }
    drawn.is_chosen = cursor_.is_at(i);
    return drawn;
  };
  const CodeListAction action = code_list(list);
  if (action.chosen) cursor_.choose(*action.chosen);
}

void CudaDifferenceView::draw(const SourceSearch& search) {
  if (!has_both()) return draw_missing();
  draw_header();
  draw_rows(search);
}

}  // namespace tilescope
