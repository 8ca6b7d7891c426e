#pragma once

#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

class ObjectReader;

/// Writes the list `experiments` of a request, without the source that each carries: `sources` has each different one
/// once, and `source_of` its place there for each experiment, -1 for none. Both are left out where no experiment
/// carries one.
void write_experiments(Json& params, const std::vector<Experiment>& experiments);

/// The reverse. Throws DocumentError with the place.
std::vector<Experiment> read_experiments(const ObjectReader& params);

}  // namespace tilescope
