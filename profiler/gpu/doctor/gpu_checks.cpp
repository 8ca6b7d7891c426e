// Checks of the parts that compile, launch and list kernels: the driver, NVRTC, CUPTI, nvdisasm, cuobjdump.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/gpu/cuda/cupti.hpp"
#include "profiler/gpu/doctor/checks.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/kernels/containers/cuobjdump.hpp"

namespace tilescope {

MachineCheck check_driver(const Machine& machine) {
  if (!machine.why_no_driver.empty()) {
    MachineCheck check = check_from_complaint("driver", CheckState::missing, machine.why_no_driver);
    check.advice += " Without a GPU kernels are compiled and interpreted; nothing is timed.";
    return check;
  }
  return {"driver", CheckState::ok,
          fmt::format("{}: {}", machine.driver_version, fmt::join(machine.gpus, ", ")), ""};
}

MachineCheck check_nvrtc(const Machine& machine) {
  try {
    const Nvrtc nvrtc =
        Nvrtc::open({machine.toolkit, machine.installation.dependencies, machine.driver_cuda});
    MachineCheck check{"NVRTC", CheckState::ok,
                       fmt::format("{}, {}", nvrtc.version(), nvrtc.library().string()), ""};
    if (nvrtc.toolkit_headers().empty()) {
      check.state = CheckState::warning;
      check.found += ", without CUDA's headers";
      check.advice =
          "Kernels that include cuda_fp16.h or mma.h do not compile with it: run `./tilescope setup` with a "
          "network to download one that has them.";
    } else if (machine.driver_cuda && nvrtc.cuda_major() < machine.driver_cuda->first) {
      check.advice = "The driver supports a newer one too: `./tilescope setup` fetches it.";
    }
    return check;
  } catch (const NvrtcUnavailable& unavailable) {
    return check_from_complaint("NVRTC", CheckState::missing, unavailable.what());
  }
}

MachineCheck check_cupti(const Machine& machine) {
  const cuda::CuptiReport cupti =
      cuda::find_cupti({machine.toolkit, machine.installation.dependencies, machine.driver_cuda});
  if (!cupti.version) return check_from_complaint("CUPTI", CheckState::missing, cupti.why_absent);
  return {"CUPTI", CheckState::ok,
          fmt::format("API version {} (CUDA {}), {}", *cupti.version,
                      cuda::cuda_major_of_cupti(*cupti.version), cupti.library.string()),
          ""};
}

MachineCheck check_nvdisasm(const Machine& machine) {
  try {
    const auto nvdisasm =
        sass::Disassembler::find({machine.toolkit, machine.installation.dependencies, machine.path});
    return {"nvdisasm", CheckState::ok,
            fmt::format("{}, {}", nvdisasm.version(), nvdisasm.program().string()), ""};
  } catch (const sass::NvdisasmUnavailable& unavailable) {
    return check_from_complaint("nvdisasm", CheckState::missing, unavailable.what());
  }
}

MachineCheck check_cuobjdump(const Machine& machine) {
  try {
    const auto cuobjdump =
        Cuobjdump::find({machine.toolkit, machine.installation.dependencies, machine.path});
    return {"cuobjdump", CheckState::ok,
            fmt::format("{}, {}", cuobjdump.version(), cuobjdump.program().string()), ""};
  } catch (const CuobjdumpUnavailable& unavailable) {
    return check_from_complaint("cuobjdump", CheckState::missing, unavailable.what());
  }
}

}  // namespace tilescope
