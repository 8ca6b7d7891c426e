#include "app/panels/step/execution_controls.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/step_button.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/memory/block_text.hpp"

namespace tilescope {

namespace {

struct UnitName {
  StepUnit unit;
  const char* label;
  const char* tag;
};
constexpr std::array unit_names = {
    UnitName{StepUnit::instruction, "Instruction", "instruction"},
    UnitName{StepUnit::line, "Line", "line"},
    UnitName{StepUnit::tile, "Tile", "tile"},
    UnitName{StepUnit::barrier, "Barrier", "barrier"},
};

const UnitName& row_of(StepUnit unit) {
  return *std::ranges::find(unit_names, unit, &UnitName::unit);
}

/// A whole number with a label before it.
bool number_input(const char* id, const char* label, std::uint64_t& value, const std::string& help) {
  ImGui::AlignTextToFramePadding();
  text_muted(label);
  ImGui::SameLine(0, em() * 0.3F);
  ImGui::SetNextItemWidth(em() * 3);
  const MonoText mono;
  const bool entered =
      ImGui::InputScalar(id, ImGuiDataType_U64, &value, nullptr, nullptr, nullptr,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  // Below stands what was wrong with a number.
  help_tooltip_above(help);
  return entered;
}

}  // namespace

std::string ExecutionControls::option() const {
  return std::string("unit ") + row_of(unit_).tag;
}

void ExecutionControls::take_option(const std::string& line) {
  for (const UnitName& name : unit_names) {
    if (line == std::string("unit ") + name.tag) unit_ = name.unit;
  }
}

void ExecutionControls::draw(BlockStepping& stepping, const StepStop& stop) {
  draw_buttons(stepping, stop);
  same_line_if_fits(em() * 15);
  draw_unit();
  same_line_if_fits(em() * 6);
  draw_warp(stepping, stop);
  same_line_if_fits(em() * 6);
  draw_block(stepping, stop);
  if (beyond_.empty()) return;
  text_wrapped(palette().warning, beyond_);
  landmark("execution.beyond");
}

void ExecutionControls::draw_buttons(BlockStepping& stepping, const StepStop& stop) {
  std::string unit = row_of(unit_).tag;
  if (unit_ == StepUnit::instruction || unit_ == StepUnit::line)
    unit += " of warp " + std::to_string(stepping.view().warp);
  StepTarget end;
  end.kind = StepTarget::Kind::start;
  const bool at_start = stop.slot == 0, at_end = stop.slot == stop.slots;
  if (step_button("execution.start", StepIcon::first, "To the start of the block", !at_start))
    stepping.go(end);
  ImGui::SameLine(0, em() * 0.15F);
  if (step_button("execution.back", StepIcon::previous, "Back by one " + unit, !at_start))
    step(stepping, true);
  ImGui::SameLine(0, em() * 0.15F);
  if (step_button("execution.step", StepIcon::next, "On by one " + unit, !at_end)) step(stepping, false);
  ImGui::SameLine(0, em() * 0.15F);
  end.kind = StepTarget::Kind::end;
  if (step_button("execution.end", StepIcon::last, "To the end of the block", !at_end)) stepping.go(end);
  ImGui::SameLine(0, em() * 0.15F);
  const std::string help =
      stepping.has_breakpoints()
          ? "To the next breakpoint of warp " + std::to_string(stepping.view().warp)
          : "To the next breakpoint: set one by a click beside a line number of the source";
  if (step_button("execution.continue", StepIcon::play, help, !at_end && stepping.has_breakpoints()))
    stepping.go_on();
}

void ExecutionControls::draw_unit() {
  SegmentedChoice choice;
  choice.id = "unit";
  choice.fills_width = false;
  for (const UnitName& name : unit_names) {
    choice.segments.push_back({name.label, std::string("execution.unit.") + name.tag, ""});
    if (name.unit == unit_) choice.current = choice.segments.size() - 1;
  }
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) unit_ = unit_names[*action.chosen].unit;
}

void ExecutionControls::draw_warp(BlockStepping& stepping, const StepStop& stop) {
  std::uint64_t warp = stepping.view().warp;
  if (number_input("##warp", "Warp", warp, "The warp that a step of an instruction or a line belongs to")) {
    beyond_ = beyond_words("block", "warp", warp, stop.warps.size());
    stepping.choose_warp(std::min<std::uint64_t>(warp, stop.warps.size() - 1));
  }
  landmark("execution.warp");
}

void ExecutionControls::draw_block(BlockStepping& stepping, const StepStop& stop) {
  std::uint64_t block = stepping.block();
  const std::uint64_t blocks = stop.grid[0] * stop.grid[1] * stop.grid[2];
  if (number_input("##block", "Block", block, "The thread block that is stepped, by its linear index")) {
    beyond_ = beyond_words("grid", "block", block, blocks);
    stepping.choose_block(std::min(block, blocks - 1));
  }
  landmark("execution.block");
}

void ExecutionControls::step(BlockStepping& stepping, bool backwards) const {
  StepTarget target;
  target.backwards = backwards;
  switch (unit_) {
    case StepUnit::instruction:
      target.kind = StepTarget::Kind::warp;
      target.number = static_cast<std::int64_t>(stepping.view().warp);
      break;
    case StepUnit::line:
      target.kind = StepTarget::Kind::line;
      break;
    case StepUnit::tile:
      target.kind = StepTarget::Kind::tile;
      break;
    case StepUnit::barrier:
      target.kind = StepTarget::Kind::barrier;
      break;
  }
  stepping.go(target);
}

}  // namespace tilescope
