#pragma once

#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/check_run.hpp"
#include "app/panels/code/source_lines.hpp"
#include "sessions/views/points/complaints.hpp"

namespace tilescope {

/// Draws the checkers' findings in the shown point, or that they found nothing; while they run, their
/// progress. `checked` is the run of the checkers under the sliders, nullptr for none.
void draw_findings(CheckRun& check, const std::vector<Complaint>& complaints, const Measurement* checked,
                   const SourceLinks& links);

/// A box for each complaint. Marks "finding.I".
void draw_complaints(const std::vector<Complaint>& complaints, const SourceLinks& links);

/// The button that starts the checkers, greyed with the reason where they cannot run.
void draw_run_checkers(Explorer& explorer);

}  // namespace tilescope
