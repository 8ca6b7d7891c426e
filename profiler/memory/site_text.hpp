#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/ptx/observer.hpp"
#include "profiler/ptx/program.hpp"

/// Texts for the place and the kind of a memory access.
namespace tilescope {

/// The place of an instruction.
struct SitePlace {
  /// In the kernel's own file; 0: unknown.
  std::uint32_t line = 0;
  /// Of `line`, without its folder.
  std::string file;
  /// As MemorySite::inlined.
  std::vector<std::string> inlined;
  std::uint32_t ptx_line = 0;
  /// As in the PTX.
  std::string instruction;
};
/// `origin` is an index into Program::origins; ptx::no_index gives an empty place.
SitePlace place_of(const ptx::Program& program, std::uint32_t origin, std::string_view main_file);
/// "line 120", or "element.cuh:84" in another file than the kernel's; "PTX line 812" without line information.
std::string describe(const SitePlace& place, std::string_view main_file);

/// "st" of "@%p1 st.shared.v4.u32 [%rd1], ...".
std::string_view opcode_of(std::string_view instruction);
/// "ld.shared", "st.global", "atom.shared", "ldmatrix", "cp.async" (its shared side), "cp.async.global" (its global
/// side), "wmma.load.shared" ...
std::string operation_of(const ptx::Program& program, const ptx::Instruction& instruction, ptx::Space space,
                         ptx::Access access);

}  // namespace tilescope
