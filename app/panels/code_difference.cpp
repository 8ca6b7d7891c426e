#include <imgui.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/panels/source_difference.hpp"
#include "app/panels/source_search.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/panel.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/linked_listing.hpp"

namespace tilescope {

namespace {

/// The machine code of A against that of B. The panel Source has the same beside its columns.
class CodeDifferencePanel : public Panel {
 public:
  CodeDifferencePanel() : Panel("code-difference", "Code difference", {300, 160}) {}

  bool asks_worker() const override { return true; }
  bool has_table() const override { return true; }
  std::string csv() const override { return difference_.csv(); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  SourceDifference difference_;
  SourceSearch search_;
};

void CodeDifferencePanel::draw(Explorer& explorer) {
  for (const Side side : both_sides) {
    if (explorer.comparison().choice(side).kind != SideChoice::Kind::none) continue;
    const MissingAnswer missing = explorer.comparison().missing();
    empty_state(missing.heading, missing.text);
    landmark("code_difference.nothing");
    return;
  }
  difference_.update(explorer);
  search_.draw(std::clamp(ImGui::GetContentRegionAvail().x - em() * 11, em() * 6, em() * 20));
  SourceSearch::Columns columns;
  if (difference_.lines() != nullptr) columns.emplace_back(CodeColumn::sass, difference_.lines());
  search_.update(columns, explorer.code_difference().revision());
  if (const auto hit = search_.take_moved()) difference_.scroll_to(hit->row);
  difference_.draw(explorer, search_);
}

const RegisterPanel register_code_difference_panel{[] { return std::make_unique<CodeDifferencePanel>(); }};

}  // namespace

}  // namespace tilescope
