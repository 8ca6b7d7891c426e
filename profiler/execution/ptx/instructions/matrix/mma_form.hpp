#pragma once

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// The shape and the types of an mma: D = A * B + C with A 16 x depth, B depth x 8, C and D 16 x 8.
struct MmaForm {
  int depth = 0;
  Type d = Type::none, a = Type::none, b = Type::none, c = Type::none;
  bool saturates = false;

  /// Whether the ISA has this combination, among the types that are executed here.
  bool exists() const;
  /// Columns of A, or rows of B, in one register: tiles-inl.hpp describes the tiles.
  int tile_columns() const;
};

}  // namespace tilescope::ptx
