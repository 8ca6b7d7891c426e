#pragma once

#include <functional>
#include <string>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tune/advice.hpp"
#include "app/panels/code/source_lines.hpp"

namespace tilescope {

/// Draws the worth of the last applied repair, with a button that takes it back; nothing if the repair is not
/// under the sliders.
void draw_applied(Explorer& explorer);

/// One line with the kinds of all diagnoses, the same height where there is none: figures below it do not move.
void draw_diagnoses_line(const Advice& advice);

/// A diagnosis in a box with its line of source and what it would save, then what `draw_rest` draws. Marks "NAME" and
/// "NAME.source", ".saving".
void draw_diagnosis(const Diagnosis& diagnosis, const std::string& name, const SourceLinks& links,
                    const std::function<void()>& draw_rest);

/// The diagnoses of the point that is shown, each with its line of source and with the tried changes that repair it.
void draw_advice(Explorer& explorer, const SourceLinks& links);

/// The changes of the point that were tried: those that gain, each with a button, then how many do not, and those that
/// are not tried yet.
void draw_tries(Explorer& explorer);

}  // namespace tilescope
