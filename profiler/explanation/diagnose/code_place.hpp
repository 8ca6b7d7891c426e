#pragma once

#include <string>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/diagnosis.hpp"
#include "sessions/executed_work.hpp"

namespace tilescope {

/// The kernel's own file, without its folder; "" where it is not known.
std::string file_of(const KernelDeclaration& kernel);

/// " at line 84", " at line 151, mma_key_loop.cuh:225", or "" without line information.
std::string at_place_words(const InstructionPlace& place, const KernelDeclaration& kernel);

/// Adds the line to a diagnosis, if it is one of the kernel's own file, and where the first of them was inlined from.
void add_line(Diagnosis& diagnosis, const InstructionPlace& place, const KernelDeclaration& kernel);

}  // namespace tilescope
