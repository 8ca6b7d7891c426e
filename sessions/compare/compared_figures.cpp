#include "sessions/compare/compared_figures.hpp"

namespace tilescope {
namespace {

bool is_recorded(const Measurement& point) {
  return point.latency && point.latency->kind == LatencyKind::recorded;
}

// Without the heading of its section "Largest" says nothing.
std::string label_of(const DetailSection& section, const DetailRow& row) {
  return section.title == "Error" ? row.label + " error" : row.label;
}

}  // namespace

std::vector<ComparedFigure> compared_figures(const Measurement& a, const Measurement& b) {
  std::vector<ComparedFigure> figures;
  const std::vector<DetailSection> sections =
      compared_details(point_details(b, is_recorded(b)), point_details(a, is_recorded(a)));
  for (const DetailSection& section : sections) {
    if (section.title == excess_by_line) continue;
    for (const DetailRow& row : section.rows) {
      if (!row.has_number) continue;
      figures.push_back({label_of(section, row), row.other, row.value, row.difference, row.difference_tone});
    }
  }
  return figures;
}

}  // namespace tilescope
