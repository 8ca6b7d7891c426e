#include "app/panels/compare/part_doors.hpp"

#include <array>
#include <string_view>

#include "app/explorer/code/cuda_difference.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/memory/memory_focus.hpp"

namespace tilescope {
namespace {

struct NamedDoor {
  std::string_view part, panel, title;
  bool shows_line;
};
constexpr std::array<NamedDoor, 10> doors{{{"bank conflicts", "microscope", "Microscope", true},
                                           {"shared memory", "shared-memory", "Shared memory", true},
                                           {"L2 and DRAM", "access-sites", "Access sites", true},
                                           {"issue slots", "source", "Source", true},
                                           {"FMA and ALU", "source", "Source", true},
                                           {"tensor", "source", "Source", true},
                                           {"MUFU", "source", "Source", true},
                                           {"barriers", "source", "Source", true},
                                           {"instruction fetch", "source", "Source", true},
                                           {"launch", "model", "Model", false}}};

const PartDoor file_door{"code-difference", "Code diff", true};

// These show a point alone, wherever the sliders are.
bool shows_point(const PartDoor& door) {
  return door.panel == "details" || door.panel == "model";
}

std::int64_t line_of(const PartDoor& door, const WaterfallBar& bar) {
  return door.shows_line && !bar.lines.empty() ? bar.lines.front() : 0;
}

bool lines_are_current(const Explorer& explorer, Side side) {
  const SharedMeasurement point = explorer.board().get<ComparisonPair>().point(side);
  return point && !is_of_older_source(*point, explorer.kernels().sources());
}

// A panel of what is under the sliders, with one side there. `line`: 0 for none.
void open_panel_of(Explorer& explorer, const PartDoor& door, Side side, std::int64_t line) {
  if (explorer.board().get<ComparisonPair>().is_of_file(side)) {
    if (line > 0) explorer.board().get<CudaDifference>().go_to(side, line);
    return explorer.panel_wanted(file_door.panel);
  }
  const Experiment before = explorer.selection().experiment();
  explorer.board().get<ComparisonPair>().bring_under_sliders(side);
  if (line > 0 && lines_are_current(explorer, side))
    explorer.board().get<MemoryFocus>().choose_line(static_cast<std::uint32_t>(line));
  explorer.panel_wanted(door.panel);
  if (explorer.selection().experiment() == before) return;
  const Side other = other_side(side);
  explorer.notices().offer(
      "The sliders went to " + to_string(side) + ", which the panel " + door.title + " shows.",
      "Back to " + to_string(other),
      [&explorer, other] { explorer.board().get<ComparisonPair>().bring_under_sliders(other); });
}

}  // namespace

PartDoor door_of(const WaterfallBar& bar) {
  for (const NamedDoor& door : doors) {
    if (bar.kind == WaterfallBar::Kind::part && door.part == bar.name)
      return {std::string(door.panel), std::string(door.title), door.shows_line};
  }
  if (bar.kind == WaterfallBar::Kind::side_a || bar.kind == WaterfallBar::Kind::side_b)
    return {"details", "Point", false};
  return {"model", "Model", false};
}

PartDoor door_of(const Explorer& explorer, const WaterfallBar& bar) {
  PartDoor door = door_of(bar);
  return shows_point(door) || !explorer.board().get<ComparisonPair>().is_of_file(side_of(bar)) ? door
                                                                                               : file_door;
}

Side side_of(const WaterfallBar& bar) {
  if (bar.kind == WaterfallBar::Kind::side_a) return Side::a;
  if (bar.kind == WaterfallBar::Kind::side_b) return Side::b;
  return bar.change_us() > 0 ? Side::b : Side::a;
}

std::string door_hint(const PartDoor& door, const WaterfallBar& bar, Side side) {
  const std::int64_t line = line_of(door, bar);
  return "Click to open " + door.title + (line > 0 ? " at line " + std::to_string(line) : "") + " for " +
         to_string(side) + ".";
}

void open_door(Explorer& explorer, const WaterfallBar& bar) {
  const PartDoor door = door_of(explorer, bar);
  const Side side = side_of(bar);
  if (shows_point(door)) {
    const SharedMeasurement point = explorer.board().get<ComparisonPair>().point(side);
    if (point) explorer.shown().show_as_it_is(point);
    return explorer.panel_wanted(door.panel);
  }
  open_panel_of(explorer, door, side, line_of(door, bar));
}

void open_line(Explorer& explorer, Side side, std::int64_t line) {
  open_panel_of(explorer, {"source", "Source", true}, side, line);
}

}  // namespace tilescope
