#pragma once

#include "sessions/reports/report_document.hpp"
#include "sessions/session.hpp"
#include "sessions/views/points/ladder.hpp"

namespace tilescope {

/// The points that a report is about; what is empty chooses all.
struct ReportChoice {
  std::string kernel;
  std::string device;
  std::vector<Shape> shapes;
};
/// The session with the chosen points alone, and their sources.
Session chosen_points(const Session& session, const ReportChoice& choice);

/// Everything that a session says: the best of each shape, configurations over several shapes (shapes_sections), plots,
/// diagnoses, environment, all points. `kernels` is how the catalogue places them on the ladder.
ReportDocument session_report(const Session& session, const LadderKernels& kernels,
                              const std::string& tilescope_version);

/// All points of a session as comma-separated values (RFC 4180), ranked, with every metric and parameter.
std::string session_csv(const Session& session);

/// Why a point has the rank and the speed that a report shows: formulas and kinds of latency, a sentence each.
std::vector<std::string> reading_notes(const PointList& points);

/// Diagnoses and findings of points, one entry for each kernel and kind: faults first, then by the order of the points.
std::vector<ReportItem> diagnosis_items(const PointList& points);

}  // namespace tilescope
