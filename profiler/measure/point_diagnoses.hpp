#pragma once

#include <optional>

#include "profiler/measure/prepare/variant_programs.hpp"

namespace tilescope {

/// Adds the diagnoses of a point that ran: from its counts, from other points of this worker, and from its variants
/// where they were compiled.
void add_diagnoses(Workbench& bench, const Prepared& kernel, std::optional<VariantPrograms>& variants,
                   const MeasureControl& control, Measurement& point);

/// Adds the diagnoses of a point that ended before it ran, because it does not compile.
void add_diagnoses_of_failure(Measurement& point);

/// The diagnoses of a recorded point from its figures as they are now; those that need other compilations or other points
/// stay. None where it had none.
std::optional<std::vector<Diagnosis>> diagnoses_again(Workbench& bench, const Measurement& recorded);

}  // namespace tilescope
