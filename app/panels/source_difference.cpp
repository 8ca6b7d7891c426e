#include "app/panels/source_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>

#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/point_details.hpp"

namespace tilescope {

namespace {

const std::vector<SassLine>& lines_of(const std::shared_ptr<const ListedCode>& code) {
  static const std::vector<SassLine> none;
  return code ? code->answer.machine_code.lines : none;
}

const SassLine& line_of(const DiffRow& row, const std::vector<SassLine>& compared,
                        const std::vector<SassLine>& here) {
  return row.right ? here[*row.right] : compared[*row.left];
}

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

void SourceDifference::update(Explorer& explorer, const std::shared_ptr<const ListedCode>& here) {
  CodeListing& listing = explorer.compared_listing();
  if (const Point compared = explorer.compared_point()) listing.want(explorer, compared);
  const std::shared_ptr<const ListedCode> other = explorer.compared_point() ? listing.code() : nullptr;
  if (here == here_ && other == compared_) return;
  here_ = here;
  compared_ = other;
  diff_ = here_ && compared_ ? listing_diff(lines_of(compared_), lines_of(here_)) : ListingDiff{};
  lines_.clear();
  longest_ = 0;
  for (const DiffRow& row : diff_.rows) {
    lines_.push_back(line_of(row, lines_of(compared_), lines_of(here_)).text);
    longest_ = std::max(longest_, lines_.back().size());
  }
  cursor_.reset();
  ++revision_;
}

std::string SourceDifference::csv() const {
  return diff_csv(diff_, lines_of(compared_), lines_of(here_));
}

void SourceDifference::go_to_hunk(bool forward) {
  const std::vector<std::uint32_t>& hunks = diff_.hunks;
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
  const Point point = explorer.jobs().current_point();
  if (point) {
    const std::vector<std::string> differences = differing_settings(*point, *explorer.compared_point());
    text_wrapped(palette().text, differences.empty()
                                     ? "Compared with the same settings"
                                     : fmt::format("Compared with {}", fmt::join(differences, ", ")));
  }
  ImGui::BeginDisabled(diff_.hunks.empty());
  if (ImGui::ArrowButton("##previous_hunk", ImGuiDir_Up)) go_to_hunk(false);
  landmark("source.hunk.previous");
  ImGui::SameLine();
  if (ImGui::ArrowButton("##next_hunk", ImGuiDir_Down)) go_to_hunk(true);
  landmark("source.hunk.next");
  ImGui::EndDisabled();
  help_tooltip("The next stretch of instructions that only one of the codes has.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().muted, diff_summary(diff_) + ".");
  landmark("source.difference.summary");
}

std::optional<std::uint32_t> SourceDifference::draw(Explorer& explorer, const SourceSearch& search) {
  const CodeListing& listing = explorer.compared_listing();
  if (!compared_ || lines_of(compared_).empty()) {
    const MissingAnswer& missing = listing.missing();
    const std::string why = compared_ ? compared_->answer.machine_code.why_none : "";
    empty_state(missing.heading.empty() ? "No machine code to compare" : missing.heading,
                missing.text.empty() ? why : missing.text);
    return std::nullopt;
  }
  draw_header(explorer);
  CodeList list;
  list.id = "source.difference";
  list.count = diff_.rows.size();
  list.text_columns = longest_;
  list.has_signs = true;
  list.search = search.text();
  if (const auto hit = search.current()) list.current_hit = hit->row;
  list.cursor = cursor_;
  list.scroll_to = std::exchange(scroll_to_, std::nullopt);
  list.row = [&](std::size_t i) {
    const DiffRow& row = diff_.rows[i];
    const SassLine& line = line_of(row, lines_of(compared_), lines_of(here_));
    CodeRow drawn;
    if (!line.is_label()) drawn.label = fmt::format("{:04x}", line.address);
    drawn.text = lines_[i];
    dress(drawn, row.kind);
    drawn.is_chosen = cursor_ == i;
    return drawn;
  };
  const CodeListAction action = code_list(list);
  if (!action.chosen) return std::nullopt;
  cursor_ = static_cast<std::uint32_t>(*action.chosen);
  return diff_.rows[*action.chosen].right;
}

}  // namespace tilescope
