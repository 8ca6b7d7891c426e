#pragma once

#include <cstdint>

#include "profiler/execution/simt/block.hpp"

/// Functions that a kernel calls and the driver has, for PTX and for machine code. Addresses are generic.
namespace tilescope::simt {

/// vprintf(format, arguments): formats now, since the memory may change later. Returns what it returns: the number of
/// arguments, -1 without a format, -2 where the run has printed too much.
std::int32_t print(Warp& warp, const Instruction& call, unsigned lane, std::uint64_t format,
                   std::uint64_t arguments);

/// __assertfail(expression, file, line, function), of which the texts are addresses.
struct FailedAssertion {
  std::uint64_t expression = 0, file = 0, function = 0;
  std::uint32_t line = 0;
};
/// Ends the block.
[[noreturn]] void fail_assertion(const Warp& warp, const Instruction& call, unsigned lane,
                                 const FailedAssertion& assertion);

}  // namespace tilescope::simt
