#include "profiler/service/requests/count_kernel.hpp"

#include <optional>
#include <utility>

#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// The machine code and the times of its instructions are there where they are asked for and the kernel ran.
void add_up(Workbench& bench, const CountKernel::Params& params, const Prepared& kernel,
            const MeasureControl& control, CountedPoint& point) {
  std::optional<VariantPrograms> variants;
  if (params.variants) variants.emplace(bench, kernel);
  Counted counted = count(bench, kernel, params.options, control);
  const std::optional<model::ExecutedLaunch> launch = std::move(counted.launch);
  point.machine_code = std::move(counted.machine_code);
  add_counted(std::move(counted), point);
  std::vector<InstructionTime> times = add_prediction(kernel, launch, params.explain, point);
  if (point.machine_code) add_times(times, *point.machine_code);
  if (params.options.instruction_times) point.instruction_times = std::move(times);
  add_diagnoses(bench, kernel, variants, control, point);
}

CountKernel::Answer answer_count_kernel(Workbench& bench, const CountKernel::Params& params,
                                        const MeasureControl& control) {
  Preparation made = prepare(bench, params.experiment, Purpose::interpret, control);
  CountedPoint counted(std::move(made.point));
  if (made.kernel) {
    const auto failure = failure_of([&] { add_up(bench, params, *made.kernel, control, counted); });
    if (failure) counted = CountedPoint(failed_point(*made.kernel, *failure));
  }
  add_diagnoses_of_failure(counted);
  if (params.options.machine_code && !counted.machine_code) counted.machine_code.emplace();
  return counted;
}

const RegisterAnswer<CountKernel> register_count_kernel{answer_count_kernel};

}  // namespace
}  // namespace tilescope
