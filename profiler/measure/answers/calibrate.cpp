#include "profiler/service/requests/calibrate.hpp"
#include "profiler/gpu/calibrate/calibration_report.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Calibrate::Answer answer_calibrate(Workbench& bench, const Calibrate::Params& params,
                                   const MeasureControl& control) {
  if (bench.gpus().devices().empty())
    return {Status::unsupported, "there is no GPU to calibrate: " + bench.gpus().why_none(), {}};
  try {
    const DeviceModel chosen = choose_device(params.device, bench.gpus().devices(), {});
    const CalibrationReport report =
        calibrate_device(chosen, bench.compiler(), bench.installation().kernels,
                         bench.gpus().driver_version(), control, bench.why_unusable);
    return {report.status, report.reason, to_json_document(report)};
  } catch (const std::exception& error) {  // No such GPU, no NVRTC.
    return {Status::unsupported, error.what(), {}};
  }
}

const RegisterAnswer<Calibrate> register_calibrate{answer_calibrate};

}  // namespace
}  // namespace tilescope
