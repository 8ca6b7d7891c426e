#pragma once

#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// For a point that is not the one under the sliders: where it is from, with buttons that measure it here or go back.
void draw_elsewhere(Explorer& explorer, const Measurement& point, bool recorded);

/// The status, the reason, and what was measured: kernel, every parameter, shape.
void draw_status(Explorer& explorer, const Measurement& point);

/// Draws a point that is being made. `heading` says how far it has come.
void draw_measuring(Explorer& explorer, const Measurement& so_far, const std::string& heading);

/// Says above the figures that they belong to an older file; nothing where they do not.
void draw_source_age(const Explorer& explorer, const Measurement& point);

/// Draws the compared point, the settings in which it differs, and a button that ends the comparison. Nothing
/// if no point is compared. `is_another`: it differs from the shown point, see is_same_result.
void draw_compared(Explorer& explorer, const std::vector<std::string>& differences, bool is_another);

}  // namespace tilescope
