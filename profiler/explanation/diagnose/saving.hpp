#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "sessions/diagnosis.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The sum of named parts of the predicted latency [us]; none where the point has no prediction.
std::optional<double> predicted_parts_us(const Measurement& point, std::initializer_list<const char*> parts);
/// Sum of these parts as a share of the predicted p50, 0 to 1.
std::optional<double> predicted_share(const Measurement& point, std::initializer_list<const char*> parts);

/// Time that the launch would save without a cause (Counterfactual::cause), at a line alone or everywhere [us]. 0 where the
/// launch was explained and has too little of the cause; none where it was not explained, or not at that line.
std::optional<double> saving_without(const Measurement& point, std::string_view cause, std::int64_t line = 0);
/// Time that the launch would save if a share of its instructions were not executed, 0 to 1 [us]; none where there is no
/// prediction.
std::optional<double> saving_of_work(const Measurement& point, double share);

/// A predicted saving with its range: a quarter each way, but what is left is at least the start of the launch, and what the
/// ratio of the two predictions leaves at the end of its band. Only of a point with a prediction.
Saving saving_range(const Measurement& point, double us);

/// Adds what a repair would save, also to the evidence: "Removing this would save 1.9 ms to 2.4 ms of the predicted 4.2 ms."
/// Nothing where it is not known.
void add_saving(Diagnosis& diagnosis, const Measurement& point, std::optional<double> us);

/// Whether the model can tell the saving apart from none.
bool is_notable(const Saving& saving, const Measurement& point);

}  // namespace tilescope
