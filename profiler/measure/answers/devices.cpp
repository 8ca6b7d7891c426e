#include "profiler/service/requests/devices.hpp"
#include "profiler/gpu/cuda/cupti.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Devices::Answer answer_devices(Workbench& bench, const Devices::Params&, const MeasureControl&) {
  Devices::Answer answer;
  answer.present = bench.gpus().devices();
  answer.why_no_gpu = bench.gpus().why_none();
  answer.driver = bench.gpus().driver_version();
  const cuda::CuptiReport cupti = cuda::find_cupti(
      {environment("TILESCOPE_CUDA"), bench.installation().dependencies, bench.gpus().driver_cuda()});
  answer.counters = {"CUPTI", cupti.version ? std::to_string(*cupti.version) : "", cupti.why_absent};
  answer.compiler.name = "NVRTC";
  try {
    answer.compiler.version = bench.compiler().nvrtc().version();
  } catch (const NvrtcUnavailable& error) {
    answer.compiler.why_absent = error.what();
  }
  return answer;
}

const RegisterAnswer<Devices> register_devices{answer_devices};

}  // namespace
}  // namespace tilescope
