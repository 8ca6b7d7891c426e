#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// The place of a finding's instruction.
struct FindingPlace {
  /// The innermost line in the kernel's own file; 0: unknown.
  std::int64_t line = 0;
  /// "line 12"; with the code that was inlined into it, and with the kernel's line where the line is in a function that
  /// the kernel calls: "line 120 (element.cuh:84 load_packet<8>)", "line 1 (put, called at line 11)". "PTX line 812" or
  /// "machine code at 0x1a0" without line information.
  std::string words;
  /// "line 11" for a line in a function that the kernel calls there; else "".
  std::string call;
};
/// `main_file`: the kernel's own file without its folder; "" for the file of the outermost call.
FindingPlace finding_place(const simt::Program& program, std::uint32_t origin, std::string_view main_file);

/// Whether the second access of a race stands above the first one, so that it can only follow it in another round of a
/// loop. Both lines must be in one function.
bool is_in_next_round(const simt::Program& program, const Occurrence& race, std::string_view main_file);

/// Block barriers whose lines are between the lines of two instructions, in the order of their lines: "line 7".
std::vector<std::string> barriers_between(const simt::Program& program, std::uint32_t first_origin,
                                          std::uint32_t second_origin, std::string_view main_file);

}  // namespace tilescope
