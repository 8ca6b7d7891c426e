#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// ptxas says so, whatever the kernel is.
bool exceeds_static_limit(const std::string& text) {
  return text.find("uses too much shared data") != std::string::npos;
}

std::vector<Diagnosis> find_static_shared_memory(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (point.status != Status::compile_failed) return {};
  if (!exceeds_static_limit(point.reason) && !exceeds_static_limit(point.compiler_log)) return {};
  return {{"static_shared_memory",
           Severity::fault,
           {},
           "Static shared memory exceeds 48 KiB, where it ends on every GPU.",
           point.reason,
           "Declare the memory extern __shared__ and give its size with the launch: dynamic shared memory "
           "reaches the SM's limit."}};
}

const RegisterRule register_static_shared_memory{
    {.kind = "static_shared_memory", .place = 4, .find = find_static_shared_memory}};

}  // namespace
}  // namespace tilescope
