#pragma once

#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

class ObjectReader;
class ObjectWriter;

/// Writes the list `experiments` of a request, without the source that each carries: `sources` has each different one
/// once, and `source_of` its place there for each experiment, -1 for none. Both are left out where no experiment
/// carries one.
void visit_experiments(const ObjectWriter& params, const std::vector<Experiment>& experiments);

/// Reads it. Throws DocumentError with the place.
void visit_experiments(const ObjectReader& params, std::vector<Experiment>& experiments);

}  // namespace tilescope
