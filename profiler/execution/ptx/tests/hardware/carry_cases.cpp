// Carry chains: whether carry and borrow are one flag, and with which sense, in every order of instructions that set,
// propagate and use it.

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/execution/ptx/tests/hardware/sweep_values.hpp"

namespace tilescope::hardware {
namespace {

// In the order of kernels/carry_chains.cu; each pair is followed by addc, subc, madc.lo and madc.hi.
constexpr const char* types[] = {"u32", "s32", "u64", "s64"};
constexpr const char* firsts[] = {"add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"};
constexpr const char* seconds[] = {"", ", addc.cc", ", subc.cc", ", madc.lo.cc", ", madc.hi.cc"};
constexpr std::size_t lasts = 4;

Case chain_case(std::size_t type) {
  constexpr std::size_t chains = std::size(firsts) * std::size(seconds) * lasts;
  Case made;
  made.name = std::string("carry_chains/") + types[type];
  made.kernel = {"profiler/execution/ptx/tests/kernels/carry_chains.cu",
                 "carry_chains",
                 {{"TYPE", std::to_string(type)}, {"CHAINS", std::to_string(chains)}}};
  made.launch.block.x = 128;
  made.launch.grid.x = sweep_count / 128;
  ParameterList(made)
      .pointer(input_buffer("x", [] { return word_values(false); }))
      .pointer(input_buffer("y", [] { return word_values(true); }))
      .pointer(output_buffer("out", chains * sweep_count * 4))
      .value(static_cast<std::int32_t>(sweep_count));
  for (const char* first : firsts) {
    for (const char* second : seconds) {
      Region region;
      region.name = std::string(first) + second;
      region.buffer = 2;
      region.first = made.regions.size() * lasts * sweep_count;
      region.count = lasts * sweep_count;
      made.regions.push_back(std::move(region));
    }
  }
  return made;
}

}  // namespace

std::vector<Case> carry_cases() {
  std::vector<Case> cases;
  cases.reserve(std::size(types));
  for (std::size_t type = 0; type < std::size(types); ++type) cases.push_back(chain_case(type));
  return cases;
}

}  // namespace tilescope::hardware
