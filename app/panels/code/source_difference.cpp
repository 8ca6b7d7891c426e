#include "app/panels/code/source_difference.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "app/explorer/compare/side_source.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/text.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {

void SourceDifference::update(Explorer& explorer) {
  explorer.board().want<ComparisonPair>();
  const auto& difference = explorer.board().want<CodeDifference>();
  if (code_ == difference.code()) return;
  code_ = difference.code();
  cursor_.reset();
  if (code_) digits_ = address_digits(code_->left(), code_->right());
}

std::string SourceDifference::csv() const {
  return code_ ? diff_csv(code_->diff, code_->left(), code_->right()) : std::string();
}

void SourceDifference::draw_header(const Explorer& explorer) {
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  if (const SharedMeasurement a = pair.point(Side::a), b = pair.point(Side::b); a && b) {
    text_wrapped(palette().text, "- A: " + side_name(*a, *b));
    text_wrapped(palette().text, "+ B: " + side_name(*b, *a));
    landmark("source.difference.sides");
  }
  draw_doubt(explorer);
  cursor_.draw_buttons(code_->diff.hunks, "The next stretch of instructions that only one of the codes has.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().muted, diff_summary(code_->diff) + ".");
  landmark("source.difference.summary");
}

/// A listing of the present file does not belong to a point of another source.
void SourceDifference::draw_doubt(const Explorer& explorer) const {
  for (const Side side : both_sides) {
    const SharedMeasurement& point = explorer.board().get<ComparisonPair>().choice(side).point;
    const ListedCode& listed = side == Side::a ? *code_->a : *code_->b;
    const std::string& compiled = listed.answer.source_sha256;
    const bool is_listed = point && point->kernel == listed.experiment.kernel && !compiled.empty();
    const bool has_own_source = listed.experiment.source.has_value();
    if (!is_listed || has_own_source || !is_doubtful(*point, compiled)) continue;
    text_wrapped(palette().warning, to_string(side) + ": " + present_file_words(*point));
    landmark("source.difference.doubt." + to_string(side));
  }
}

void SourceDifference::draw_missing(const Explorer& explorer) const {
  const MissingAnswer missing = explorer.board().get<CodeDifference>().missing();
  empty_state(missing.heading, missing.text);
}

/// A row whose names differ shows the text of B. Other rows need no addition.
std::string SourceDifference::difference_of_names(std::size_t row) const {
  const DiffRow& at = code_->diff.rows[row];
  if (at.kind != DiffKind::renamed) return "";
  return fmt::format("A: {}\nB: {}", code_->left()[*at.left].text, code_->right()[*at.right].text);
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
  list.label_columns = 2 * digits_ + 1;
  list.label_heading = fmt::format("{:>{}} {:>{}}", "A", digits_, "B", digits_);
  list.text_columns = code_->longest;
  list.has_signs = true;
  list.search = search.text();
  if (const auto hit = search.current()) list.current_hit = hit->row;
  cursor_.place_in(list);
  list.row = [&](std::size_t i) {
    CodeRow drawn;
    drawn.label = diff_addresses(rows[i], code_->left(), code_->right(), digits_);
    drawn.text = code_->lines[i];
    dress(drawn, rows[i].kind);
    drawn.is_chosen = cursor_.is_at(i);
    return drawn;
  };
  const CodeListAction action = code_list(list);
  if (action.hovered) {
    const MonoText mono;
    help_tooltip(difference_of_names(*action.hovered));
  }
  if (!action.chosen) return std::nullopt;
  cursor_.choose(*action.chosen);
  return explorer.board().get<ComparisonPair>().follows_sliders(Side::b) ? rows[*action.chosen].right
                                                                         : std::nullopt;
}

}  // namespace tilescope
