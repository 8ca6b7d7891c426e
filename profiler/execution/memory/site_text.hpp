#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

/// Texts for the place and the kind of a memory access.
namespace tilescope {

/// The place of an instruction.
struct SitePlace {
  /// In the kernel's own file; 0: unknown.
  std::uint32_t line = 0;
  /// Name of `line`'s file, without its folder.
  std::string file;
  /// As MemorySite::inlined.
  std::vector<std::string> inlined;
  std::uint32_t ptx_line = 0;
  /// As MemorySite::address.
  std::optional<std::int64_t> address;
  /// As in the code that runs.
  std::string instruction;
};
/// `origin` is an index into Program::origins; simt::no_index gives an empty place.
SitePlace place_of(const simt::Program& program, std::uint32_t origin, std::string_view main_file);
/// "line 120", or "element.cuh:84" in another file than the kernel's; "PTX line 812" or "machine code at
/// 0x1a0" without line information.
std::string describe(const SitePlace& place, std::string_view main_file);

/// "st" of "@%p1 st.shared.v4.u32 [%rd1], ...", to be shown.
std::string_view opcode_of(std::string_view instruction);
/// "ld.shared", "st.global", "atom.shared", "ldmatrix", "cp.async" (its shared side), "cp.async.global" (its global
/// side), "wmma.load.shared" ...
std::string operation_of(const simt::Program& program, const simt::Instruction& instruction,
                         simt::Space space, simt::Access access);

}  // namespace tilescope
