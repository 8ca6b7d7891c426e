#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sessions/views/model/prediction_errors.hpp"

namespace tilescope {

/// A table of errors; `title` is over the column of names. Marks "model.errors.NAME".
void draw_error_rows(const char* title, const std::vector<ErrorRow>& rows);

/// The largest errors, a row each. Returns the one that was clicked, into ErrorsView::points. Marks "model.miss.I".
std::optional<std::uint32_t> draw_worst(const ErrorsView& view, const Measurement* current);

}  // namespace tilescope
