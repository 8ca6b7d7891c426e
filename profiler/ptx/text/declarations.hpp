#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/ptx/text/reading.hpp"

namespace tilescope::ptx {

/// What a variable is made of: elements of `type`, `vector` of them together, arrays of those.
struct Shape {
  Type type = Type::none;
  std::uint32_t align = 1;   ///< [B]
  std::uint32_t vector = 1;  ///< 4 of .v4
  std::vector<std::uint64_t> dimensions;
  bool has_open_dimension = false;  ///< The first is not given: `x[]`; it then counts as 0.

  /// [B] Of all; `position` is where an error lies.
  std::uint64_t bytes(Position position) const;
};

/// The state space of ".shared" and the like; none for another word.
std::optional<Space> space_of(std::string_view dotted);

/// What follows ".reg": registers of `function`, up to the semicolon.
void read_registers(Reading& reading, Function& function);
/// What follows a state space: variables of `function`, or, where there is none, of the module, up to the semicolon.
void read_variables(Reading& reading, Space space, bool is_extern, Function* function);
/// "(...)": the parameters, or results, of a function, with their offsets.
void read_parameters(Reading& reading, Function& function, std::vector<Parameter>& parameters,
                     Meaning::Kind kind);

/// What follows "=": fills Variable::initial and addresses, and `bytes` where the shape leaves it open.
void read_initializer(Reading& reading, const Shape& shape, Variable& variable);

}  // namespace tilescope::ptx
