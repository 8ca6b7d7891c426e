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

// Returns the machine code, where it is asked for and the kernel ran.
std::optional<CountedCode> add_up(Workbench& bench, const CountKernel::Params& params, const Prepared& kernel,
                                  const MeasureControl& control, Measurement& point) {
  std::optional<VariantPrograms> variants;
  if (params.variants) variants.emplace(bench, kernel);
  Counted counted = count(bench, kernel, params.options, control);
  const std::optional<model::ExecutedLaunch> launch = std::move(counted.launch);
  std::optional<CountedCode> code = std::move(counted.machine_code);
  add_counted(std::move(counted), point);
  add_prediction(kernel, launch, params.explain, point);
  add_diagnoses(bench, kernel, variants, control, point);
  return code;
}

CountKernel::Answer answer_count_kernel(Workbench& bench, const CountKernel::Params& params,
                                        const MeasureControl& control) {
  std::optional<CountedCode> machine_code;
  Preparation made = prepare(bench, params.experiment, Purpose::interpret, control);
  if (made.kernel) {
    const auto failure =
        failure_of([&] { machine_code = add_up(bench, params, *made.kernel, control, made.point); });
    if (failure) made.point = failed_point(*made.kernel, *failure);
  }
  CountedPoint counted(std::move(made.point));
  add_diagnoses_of_failure(counted);
  if (params.options.machine_code) counted.machine_code = std::move(machine_code).value_or(CountedCode());
  return counted;
}

const RegisterAnswer<CountKernel> register_count_kernel{answer_count_kernel};

}  // namespace
}  // namespace tilescope
