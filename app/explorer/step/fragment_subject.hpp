#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/step/fragments.hpp"

namespace tilescope {

/// The instruction at the play head, for the panel Fragments.
struct FragmentSubject {
  /// PTX instruction, as in simt::Origin::text.
  std::string instruction;
  /// "mma_flash.cu:120"; "" where the PTX has no line information.
  std::string place;
  /// Line of the kernel's file; 0 for none.
  std::uint32_t line = 0;
  /// Index of the warp in the block.
  std::uint32_t warp = 0;
  /// Words of a warp's lanes, in the order of FragmentView::registers: operands before the instruction, its
  /// results after it. None for a register that is unknown or not yet written; empty where nothing is known.
  std::vector<std::optional<LaneWords>> registers;
  /// Type of the halves of ldmatrix and stmatrix in this kernel: f16 or bf16; b16 if unknown.
  ptx::Type halves = ptx::Type::b16;
};

}  // namespace tilescope
