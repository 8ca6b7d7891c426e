#include "profiler/measure/add_prediction.hpp"

#include <string>
#include <utility>

#include "base/json.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/explanation/model/explain.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope {
namespace {

model::LaunchWork work_of(const Prepared& kernel) {
  Shape shape = kernel.shape();
  if (kernel.kernel.result != KernelResult::scores) return {attention_flops(shape), true};
  shape.causal = false;
  return {attention_flops(shape) / 2, true};
}

std::string why_no_prediction(const Prepared& kernel, const std::optional<model::ExecutedLaunch>& launch,
                              const Measurement& point) {
  if (kernel.kernel.is_launched_by_library()) return "the library's machine code is not executed here.";
  if (std::string why = model::why_not_predicted_for(kernel.device); !why.empty()) return why;
  if (!point.memory) return "the kernel was not interpreted.";
  if (!launch || launch->kernel.blocks.empty())
    return "it needs the machine code, and only the PTX was executed.";
  return "";
}

}  // namespace

std::vector<model::CauseAtLines> needless_barriers(const Measurement& point) {
  const bool is_watched = point.memory && point.memory->work && point.memory->work->watched &&
                          point.memory->work->watched->barriers;
  if (!is_watched) return {};
  std::vector<model::CauseAtLines> causes;
  for (const bool order_lanes : {false, true}) {
    model::CauseAtLines cause{model::Cause::barriers, {}};
    for (const BarrierSite& site : *point.memory->work->watched->barriers) {
      if (site.needed == 0 && (site.orders_lanes > 0) == order_lanes && site.place.line > 0)
        cause.lines.push_back(site.place.line);
    }
    if (!cause.lines.empty()) causes.push_back(std::move(cause));
  }
  return causes;
}

std::vector<InstructionTime> add_prediction(const Prepared& kernel,
                                            const std::optional<model::ExecutedLaunch>& launch, bool explain,
                                            Measurement& point) {
  if (point.status != Status::ok) return {};
  const std::string why = why_no_prediction(kernel, launch, point);
  if (!why.empty()) {
    point.notes.push_back("No prediction: " + why);
    return {};
  }
  const std::string table = sha256(to_table_document(kernel.device).dump());
  model::PredictedPoint predicted = model::predict(*launch, work_of(kernel), kernel.device, table);
  if (explain) model::explain(*launch, kernel.device, needless_barriers(point), predicted);
  std::vector<InstructionTime> instructions = std::move(predicted.instructions);
  add_predicted(std::move(predicted), point);
  return instructions;
}

void add_predicted(model::PredictedPoint predicted, Measurement& point) {
  point.prediction = std::move(predicted.prediction);
  point.notes.insert(point.notes.end(), std::make_move_iterator(predicted.notes.begin()),
                     std::make_move_iterator(predicted.notes.end()));
}

}  // namespace tilescope
