#include "profiler/gpu/doctor/checks.hpp"

namespace tilescope {

std::vector<MachineCheck> check_machine(const Machine& machine) {
  std::vector<MachineCheck> checks;
  for (const auto check : {check_driver, check_nvrtc, check_cupti, check_nvdisasm, check_cuobjdump,
                           check_cudnn, check_cublas, check_opengl, check_display, check_cache, check_disk}) {
    checks.push_back(check(machine));
  }
  return checks;
}

}  // namespace tilescope
