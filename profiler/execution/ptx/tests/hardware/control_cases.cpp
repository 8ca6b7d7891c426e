// Control flow and warp-wide instructions: whether lanes reconverge where they do on a GPU.

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {

std::vector<Case> divergence_cases() {
  struct Kind {
    const char* name;
    std::uint32_t threads;
  };
  // In the order of the numbers in kernels/divergence.cu.
  constexpr Kind kinds[] = {{"nested branches and loops", 128},
                            {"early exit", 128},
                            {"switch", 96},
                            {"warp-wide", 64},
                            {"named barriers", 128},
                            {"block reductions", 160}};
  constexpr std::uint32_t blocks = 4;
  std::vector<Case> cases;
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    const std::size_t count = std::size_t{kinds[i].threads} * blocks;
    Case made;
    made.name = std::string("divergence/") + kinds[i].name;
    made.kernel = {"profiler/execution/ptx/tests/kernels/divergence.cu",
                   "divergence",
                   {{"KIND", std::to_string(i)}},
                   "sm_89"};
    made.launch.grid.x = blocks;
    made.launch.block.x = kinds[i].threads;
    ParameterList(made)
        .pointer(input_buffer("in", [count] { return random_words(count, 9); }))
        .pointer(output_buffer("out", count * 4));
    Region region;
    region.buffer = 1;
    region.count = count;
    made.regions = {region};
    cases.push_back(std::move(made));
  }
  return cases;
}

}  // namespace tilescope::hardware
