#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/panels/code/source_lines.hpp"
#include "app/panels/points/kept_heights.hpp"
#include "sessions/views/points/point_details.hpp"

namespace tilescope {

/// A section's heading, its figures and its sentence, each at least as high as `heights` has it. `labels` is the width
/// of the first column: as wide as the widest label of all sections.
void draw_section(const DetailSection& section, float labels, const SourceLinks& links, KeptHeights& heights);

/// For draw_section. The lines of the kernel have a width of their own: which there are depends on the point.
float width_of_labels(const std::vector<DetailSection>& sections);

/// Keeps room for a sentence of `lines` lines under the figures of a section.
void keep_room_for_text(const std::string& section, int lines, KeptHeights& heights);

/// The columns of numbers of two compared points, the same in all sections. In pixels.
struct ComparedColumns {
  float labels = 0;
  /// This point, the compared one, the difference: each as wide as its longest number.
  std::array<float, 3> numbers{};
  float gap = 0;
  /// The numbers stand below the label: there is no room beside it.
  bool stacked = false;
};
ComparedColumns compared_columns(const std::vector<DetailSection>& sections);

/// A section with the compared point. No number is broken; texts of the two stand one below the other.
void draw_compared_section(const DetailSection& section, const ComparedColumns& columns,
                           const SourceLinks& links, KeptHeights& heights);

}  // namespace tilescope
