#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "sessions/diagnosis.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The sum of named parts of the predicted latency [us]; none where the point has no prediction.
std::optional<double> predicted_parts_us(const Measurement& point, std::initializer_list<const char*> parts);
/// Sum of these parts as a share of the predicted p50, 0 to 1.
std::optional<double> predicted_share(const Measurement& point, std::initializer_list<const char*> parts);

/// Says at the end of the evidence what a diagnosis costs: `share` of the named parts of the predicted latency, at most.
/// "Costs up to 12.3 µs, 20.1 % of the predicted latency (barriers)." Nothing where there is no prediction, or where the
/// parts are nothing.
void add_cost(Diagnosis& diagnosis, const Measurement& point, std::initializer_list<const char*> parts,
              double share = 1);
/// Adds the cost of a share of the whole predicted latency.
void add_cost_of_all(Diagnosis& diagnosis, const Measurement& point, double share);

}  // namespace tilescope
