#include <algorithm>

#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// No instruction ran, so none is at fault.
bool is_refused(const Measurement& point) {
  return point.reason.starts_with("The GPU refused the launch");
}

// Only where no finding names a line.
std::vector<Diagnosis> find_ended_launch(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (point.status != Status::launch_failed || !point.device.present) return {};
  if (std::ranges::any_of(point.findings, is_fault)) return {};
  if (is_refused(point)) {
    return {{"ended_launch",
             Severity::fault,
             {},
             "The GPU refused the launch: a block needs more than it has.",
             "",
             "Choose smaller tiles or fewer warps per block."}};
  }
  return {{"ended_launch",
           Severity::fault,
           {},
           "The GPU ended the launch, and no line is known that explains it.",
           "",
           "Run the command that the reason of the point names: it finds the line on the GPU."}};
}

const RegisterRule register_ended_launch{
    {.kind = "ended_launch", .place = 3, .find = find_ended_launch, .judges_ended_launch = true}};

}  // namespace
}  // namespace tilescope
