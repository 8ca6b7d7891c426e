#include "profiler/execution/ptx/tests/hardware/fault_cases.hpp"

namespace tilescope::hardware {

const std::vector<FaultKernel>& fault_kernels() {
  static const std::vector<FaultKernel> kernels = {{"missing_barrier", "race"},
                                                   {"missing_warp_sync", "race", 32},
                                                   {"wrong_index", "race"},
                                                   {"stale_buffer", "race"},
                                                   {"double_buffer", "race"},
                                                   {"lost_update", "race"},
                                                   {"wrong_barrier", "race"},
                                                   {"cp_async_overwrites", "race"},
                                                   {"shared_out_of_bounds", "out_of_bounds", 128, 512},
                                                   {"global_out_of_bounds", "out_of_bounds"},
                                                   {"misaligned", "misaligned"},
                                                   {"uninitialised_read", "uninitialised_read"},
                                                   {"early_cp_async_read", "early_cp_async_read"},
                                                   {"cp_async_wrong_group", "early_cp_async_read", 64},
                                                   {"divergent_barrier", "divergent_barrier", 64}};
  return kernels;
}

Case fault_case(const FaultKernel& kernel, bool planted) {
  constexpr std::uint32_t count = 1024;  // [words] of the input
  Case made;
  made.name = kernel.name + (planted ? "/fault" : "/repaired");
  made.kernel = {"profiler/execution/ptx/tests/faults/" + kernel.name + ".cu",
                 kernel.name,
                 {{"FAULT", planted ? "1" : "0"}},
                 "sm_89"};
  made.launch.block.x = kernel.threads;
  made.launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  ParameterList(made)
      .pointer(input_buffer("in", [] { return random_words(count, 20); }))
      .pointer(output_buffer("out", std::size_t{kernel.threads} * 4))
      .value(count);
  return made;
}

}  // namespace tilescope::hardware
