#pragma once

#include <functional>
#include <vector>

#include "sessions/views/point_details.hpp"
#include "sessions/views/source_excerpt.hpp"

namespace tilescope {

/// The excerpt around a line of a point's source; an empty one where it is not known. It stays until the next frame.
using FindExcerpt = std::function<const SourceExcerpt&(const std::string& file, std::int64_t line)>;

/// A section's heading, its figures and its sentence. With a compared point each figure has a second column and the
/// difference. `labels` is the width of the first column: that of the widest label of all sections.
void draw_section(const DetailSection& section, float labels, bool compares, const FindExcerpt& find_excerpt);

/// For draw_section.
float width_of_labels(const std::vector<DetailSection>& sections);

}  // namespace tilescope
