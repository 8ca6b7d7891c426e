#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/execution/ptx/text/reading.hpp"

namespace tilescope::ptx {

/// The shape of a variable: arrays of vectors of `vector` elements of `type`.
struct Shape {
  Type type = Type::none;
  /// [B]
  std::uint32_t align = 1;
  /// 4 of .v4
  std::uint32_t vector = 1;
  std::vector<std::uint64_t> dimensions;
  /// The first dimension is not given: `x[]`. It then counts as 0.
  bool has_open_dimension = false;

  /// [B] The total size; errors name `position`.
  std::uint64_t bytes(Position position) const;
};

/// The state space of ".shared" and the like; none for any other word.
std::optional<Space> space_of(std::string_view dotted);

/// Reads what follows ".reg": registers of `function`, up to the semicolon.
void read_registers(Reading& reading, Function& function);
/// Reads what follows a state space, up to the semicolon: variables of `function` or, if that is null, of the module.
void read_variables(Reading& reading, Space space, bool is_extern, Function* function);
/// Reads "(...)": the parameters, or results, of a function, with their offsets.
void read_parameters(Reading& reading, Function& function, std::vector<Parameter>& parameters,
                     Meaning::Kind kind);

/// Reads what follows "=": fills Variable::initial and addresses, and `bytes` if the shape leaves it open.
void read_initializer(Reading& reading, const Shape& shape, Variable& variable);

}  // namespace tilescope::ptx
