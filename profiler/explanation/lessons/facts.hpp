#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "profiler/kernels/catalogue/named_values.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Names that the expressions of a lesson may use, of one or several points.
struct Facts {
  NamedValues values;
  /// Figures that a point could have and does not: "latency". Names that begin with them are not known here.
  std::set<std::string> absent;
};

/// The facts of a point:
/// - each number of its JSON document, by its place with '_' for '/': memory_shared_conflicts, resources_registers,
///   occupancy_blocks_per_sm, memory_bytes_global_read [B];
/// - B, Hq, Hkv, Sq, Sk, D, CAUSAL (0 or 1), ELEMENT_BYTES;
/// - its parameters, those that are numbers;
/// - the sums over memory.sites of one operation and tile, OPERATION_TILE_FIELD with '_' for all but letters and
///   digits: ld_shared_K_conflicts, and executions, lanes, wavefronts (sectors of global memory), minimum, and
///   worst_degree, which is the largest instead of the sum;
/// - findings and faults, the numbers of what the checkers found, where they ran.
Facts facts_of(const Measurement& point);

/// Adds what is known of a point with a name before each of its names: "a" for a_memory_barriers; "" for none.
void add_facts(Facts& facts, const std::string& prefix, const Facts& of_point);

/// An expression names what this machine, or this point, has not.
class NotKnownHere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NotKnownHere for a figure that is absent, ExpressionError for any other error.
double evaluate(const std::string& expression, const Facts& facts);

}  // namespace tilescope
