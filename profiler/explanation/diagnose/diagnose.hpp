#pragma once

#include <string>
#include <vector>

#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {

/// Whether a launch did not run to its end: counts and times of it say nothing then.
bool has_ended_early(const Measurement& point);

/// Applies every rule; where the launch ended early, only those that judge such launches. Faults come first, then major
/// costs and hints, then other costs, then hints. Empty where nothing was found.
std::vector<Diagnosis> diagnose(const DiagnosisInput& input);

/// Both lists by severity and cost, without what `diagnoses` has already. Faults of `more` come before the other
/// faults.
std::vector<Diagnosis> with_more(const std::vector<Diagnosis>& diagnoses, std::vector<Diagnosis> more);

/// Diagnoses stored with the point, or else those that the rules find in its figures: for points that were
/// made before there were rules, or elsewhere.
std::vector<Diagnosis> diagnoses_of(const DiagnosisInput& input);

/// Diagnoses of a point whose figures or prediction have changed since it was diagnosed. Those that need other compilations
/// or other points stay.
std::vector<Diagnosis> diagnose_again(const DiagnosisInput& input);

/// Each kind once, by severity: "Fault: race, out of bounds. Cost: tail. Hint: narrow loads." "" for none.
std::string kinds_line(const std::vector<Diagnosis>& diagnoses);

}  // namespace tilescope
