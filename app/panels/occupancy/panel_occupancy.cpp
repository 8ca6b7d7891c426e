#include <imgui.h>

#include <array>

#include "app/gui/panel.hpp"
#include "app/panels/occupancy/occupancy_cliffs.hpp"
#include "app/panels/occupancy/occupancy_map.hpp"
#include "app/panels/occupancy/occupancy_points.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

enum class OccupancyViewKind { points, cliffs, map, one_more };

struct ViewChoice {
  OccupancyViewKind kind;
  const char* label;
  /// In the options that are kept, and for tests.
  const char* name;
  const char* help;
};

constexpr std::array view_choices{
    ViewChoice{OccupancyViewKind::points, "Points", "points",
               "The points of the kernel against one parameter."},
    ViewChoice{OccupancyViewKind::cliffs, "Cliffs", "cliffs",
               "Resident warps against registers, shared memory and threads, one at a time."},
    ViewChoice{OccupancyViewKind::map, "Map", "map", "Two parameters, colored by the resource that limits."},
    ViewChoice{OccupancyViewKind::one_more, "One more block", "one_more",
               "What to save so that one more block resides on an SM."}};

/// Panel of the limits of residency: how it changes with the kernel's parameters, and how far the next block
/// is.
class OccupancyPanel : public Panel {
 public:
  OccupancyPanel() : Panel("occupancy", "Occupancy", {320, 190}, PanelRole::resident_blocks) {}

  bool has_table() const override { return true; }
  std::string csv() const override;
  std::vector<std::string> options() const override {
    const OccupancyViewKind kept = is_chosen_ ? kind_ : OccupancyViewKind::points;
    return {std::string("view ") + view_choices[static_cast<std::size_t>(kept)].name};
  }
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  void draw_choice();

  OccupancyViewKind kind_ = OccupancyViewKind::points;
  /// Chosen by the user. Until then a kernel without parameters, which has nothing to plot its points against, shows
  /// its cliffs.
  bool is_chosen_ = false;
  OccupancyPoints points_;
  OccupancyCliffs cliffs_;
  OccupancyMap map_;
  OneMoreBlockTable one_more_;
};

std::string OccupancyPanel::csv() const {
  switch (kind_) {
    case OccupancyViewKind::points:
      return points_.csv();
    case OccupancyViewKind::cliffs:
      return cliffs_.csv();
    case OccupancyViewKind::map:
      return map_.csv();
    case OccupancyViewKind::one_more:
      return one_more_.csv();
  }
  return {};
}

void OccupancyPanel::take_option(const std::string& line) {
  for (const ViewChoice& choice : view_choices) {
    if (line != std::string("view ") + choice.name) continue;
    kind_ = choice.kind;
    is_chosen_ = kind_ != OccupancyViewKind::points;
  }
}

void OccupancyPanel::draw_choice() {
  SegmentedChoice choice;
  choice.id = "view";
  for (const ViewChoice& each : view_choices)
    choice.segments.push_back({each.label, std::string("occupancy.view.") + each.name, ""});
  choice.current = static_cast<std::size_t>(kind_);
  choice.fills_width = false;
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) {
    kind_ = view_choices[*action.chosen].kind;
    is_chosen_ = true;
  }
  if (action.hovered) help_tooltip(view_choices[*action.hovered].help);
}

void OccupancyPanel::draw(Explorer& explorer) {
  if (!is_chosen_) {
    const bool has_axis = !explorer.selection().kernel().parameters.empty();
    kind_ = has_axis ? OccupancyViewKind::points : OccupancyViewKind::cliffs;
  }
  draw_choice();
  switch (kind_) {
    case OccupancyViewKind::points:
      return points_.draw(explorer);
    case OccupancyViewKind::cliffs:
      return cliffs_.draw(explorer);
    case OccupancyViewKind::map:
      return map_.draw(explorer);
    case OccupancyViewKind::one_more:
      return one_more_.draw(explorer);
  }
}

const RegisterPanel register_occupancy_panel{[] { return std::make_unique<OccupancyPanel>(); }};

}  // namespace

}  // namespace tilescope
