#include "profiler/execution/sass/instructions/driver_functions.hpp"

#include "profiler/execution/sass/register_slots.hpp"
#include "profiler/execution/simt/device_calls.hpp"

// Arguments lie in R4 and the registers behind it, 64-bit ones in pairs that begin at an even one; a result in R4.
// Read off the code that ptxas 12.9 and 13.0 make for sm_80 to sm_90.
namespace tilescope::sass {
namespace {

using simt::LaneMask;
using simt::Warp;

std::uint32_t argument32(const Warp& warp, int reg, unsigned lane) {
  return warp.read<std::uint32_t>(RegisterSlots::step * reg)[lane];
}
std::uint64_t argument64(const Warp& warp, int reg, unsigned lane) {
  return argument32(warp, reg, lane) | std::uint64_t{argument32(warp, reg + 1, lane)} << 32;
}

// R4: format, R6: where the arguments lie.
void call_vprintf(Warp& warp, const simt::Instruction& call) {
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(simt::first_lane(rest));
    const std::int32_t result =
        simt::print(warp, call, lane, argument64(warp, 4, lane), argument64(warp, 6, lane));
    warp.write<std::uint32_t>(RegisterSlots::step * 4)[lane] = static_cast<std::uint32_t>(result);
  }
}

// R4: expression, R6: file, R8: line, R10: function.
void call_assertfail(Warp& warp, const simt::Instruction& call) {
  const auto lane = static_cast<unsigned>(simt::first_lane(warp.exec));
  simt::fail_assertion(warp, call, lane,
                       {.expression = argument64(warp, 4, lane),
                        .file = argument64(warp, 6, lane),
                        .function = argument64(warp, 10, lane),
                        .line = argument32(warp, 8, lane)});
}

}  // namespace

simt::Handler driver_function(std::string_view name) {
  if (name == "vprintf") return call_vprintf;
  return name == "__assertfail" ? call_assertfail : nullptr;
}

}  // namespace tilescope::sass
