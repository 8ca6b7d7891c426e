#include <algorithm>

#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// Only where no finding names a line.
std::vector<Diagnosis> find_ended_launch(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (point.status != Status::launch_failed || !point.device.present) return {};
  if (std::ranges::any_of(point.findings, is_fault)) return {};
  return {{"ended_launch",
           Severity::fault,
           {},
           "The launch did not run to its end, and no line is known that explains it.",
           point.reason,
           "Read the reason of the point: it says what the GPU reported and what to run to find the line."}};
}

const RegisterRule register_ended_launch{
    {.kind = "ended_launch", .place = 3, .find = find_ended_launch, .judges_ended_launch = true}};

}  // namespace
}  // namespace tilescope
