#include <imgui.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/code/code_difference.hpp"
#include "app/explorer/code/cuda_difference.hpp"
#include "app/explorer/kernel_file/compared_files.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/code/cuda_difference.hpp"
#include "app/panels/code/source_difference.hpp"
#include "app/panels/code/source_search.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/code/linked_listing.hpp"

namespace tilescope {

namespace {

/// The machine code of A against B's, or the sources that they are made from. The panel Source has the former beside
/// its columns.
class CodeDifferencePanel : public Panel {
 public:
  CodeDifferencePanel() : Panel("code-difference", "Code diff", {300, 160}) {}

  bool asks_worker() const override { return true; }
  bool has_table() const override { return true; }
  std::string csv() const override { return shows_source_ ? sources_.csv() : codes_.csv(); }
  std::vector<std::string> options() const override {
    return {shows_source_ ? "view source" : "view machine-code"};
  }
  void take_option(const std::string& line) override {
    if (line == "view source") shows_source_ = true;
    if (line == "view machine-code") shows_source_ = false;
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void choose_view(bool has_machine_code);
  void update(Explorer& explorer);

  SourceDifference codes_;
  CudaDifferenceView sources_;
  SourceSearch search_;
  bool shows_source_ = false;
};

void CodeDifferencePanel::choose_view(bool has_machine_code) {
  SegmentedChoice choice;
  choice.id = "##view";
  choice.fills_width = false;
  choice.height = ImGui::GetFrameHeight();
  choice.segments = {
      {"Machine code", "code_difference.view.machine_code",
       has_machine_code ? ""
                        : "A point of a file in a session has no machine code: open the file, and choose "
                          "the point in Kernel file."},
      {"Source", "code_difference.view.source", ""}};
  choice.current = shows_source_ ? 1 : 0;
  choice.strikes_disabled = false;
  const SegmentedAction action = segmented_choice(choice);
  if (action.hovered && !choice.segments[*action.hovered].why_disabled.empty())
    help_tooltip(choice.segments[*action.hovered].why_disabled);
  if (action.chosen) shows_source_ = *action.chosen == 1;
}

/// Updates the shown text, and the hits of the search in it.
void CodeDifferencePanel::update(Explorer& explorer) {
  SourceSearch::Columns columns;
  if (shows_source_) {
    sources_.update(explorer);
    if (sources_.lines() != nullptr) columns.emplace_back(CodeColumn::cuda, sources_.lines());
    search_.update(columns, 2 * explorer.board().get<CudaDifference>().revision() + 1);
  } else {
    codes_.update(explorer);
    if (codes_.lines() != nullptr) columns.emplace_back(CodeColumn::sass, codes_.lines());
    search_.update(columns, 2 * explorer.board().get<CodeDifference>().revision());
  }
  const auto hit = search_.take_moved();
  if (!hit) return;
  if (shows_source_) return sources_.scroll_to(hit->row);
  codes_.scroll_to(hit->row);
}

void CodeDifferencePanel::draw(Explorer& explorer) {
  for (const Side side : both_sides) {
    if (explorer.board().get<ComparisonPair>().choice(side).kind != SideChoice::Kind::none) continue;
    const MissingAnswer missing = explorer.board().get<ComparisonPair>().missing();
    empty_state(missing.heading, missing.text);
    landmark("code_difference.nothing");
    return;
  }
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  const ComparedFiles& files = explorer.board().get<ComparedFiles>();
  const bool has_machine_code = std::ranges::all_of(both_sides, [&](Side side) {
    return !pair.is_of_file(side) || files.find_file(pair.choice(side).point) != nullptr;
  });
  if (!has_machine_code) shows_source_ = true;
  choose_view(has_machine_code);
  const float counts = em() * 11;  // also before there are hits: nothing moves while the user types
  same_line_if_fits(em() * 8 + counts);
  search_.draw(std::clamp(ImGui::GetContentRegionAvail().x - counts, em() * 6, em() * 20));
  update(explorer);
  if (shows_source_) return sources_.draw(search_);
  codes_.draw(explorer, search_);
}

const RegisterPanel register_code_difference_panel{[] { return std::make_unique<CodeDifferencePanel>(); }};

}  // namespace

}  // namespace tilescope
