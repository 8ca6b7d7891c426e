#pragma once

#include <vector>

#include "profiler/gpu/doctor/machine.hpp"
#include "profiler/gpu/doctor/machine_check.hpp"

namespace tilescope {

// One function per check. A new check is a function and a line in check_machine.
MachineCheck check_driver(const Machine& machine);
MachineCheck check_nvrtc(const Machine& machine);
MachineCheck check_cupti(const Machine& machine);
MachineCheck check_nvdisasm(const Machine& machine);
MachineCheck check_cuobjdump(const Machine& machine);
MachineCheck check_cudnn(const Machine& machine);
MachineCheck check_cublas(const Machine& machine);
MachineCheck check_opengl(const Machine& machine);
MachineCheck check_display(const Machine& machine);
MachineCheck check_cache(const Machine& machine);
MachineCheck check_disk(const Machine& machine);

/// All checks, in the order in which a point needs what they check.
std::vector<MachineCheck> check_machine(const Machine& machine);

}  // namespace tilescope
