#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

bool is_after_timing(const Measurement& point) {
  return point.reason.find("(after timing)") != std::string::npos;
}

std::string error_words(const Measurement& point) {
  if (!point.error) return "";
  return fmt::format("Largest error {}, tolerance {}.", format_error(point.error->max_abs),
                     format_error(point.error->tolerance));
}

std::vector<Diagnosis> find_wrong_result(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (point.status != Status::wrong_result || is_after_timing(point)) return {};
  return {{"wrong_result",
           Severity::fault,
           {},
           "Incorrect result: " + point.reason + ".",
           error_words(point),
           "Run trace --check: it looks for races and for accesses out of bounds."}};
}

// A race or memory that one launch leaves for the next one: what is timed is then no longer what was checked.
std::vector<Diagnosis> find_after_timing(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (point.status != Status::wrong_result || !is_after_timing(point)) return {};
  return {{"wrong_after_timing",
           Severity::fault,
           {},
           "The result was correct before timing and is incorrect after it: " + point.reason + ".",
           error_words(point),
           "Look for a race with trace --check, and for memory that a launch expects as the host left it."}};
}

const RegisterRule register_wrong_result{{.kind = "wrong_result", .place = 3, .find = find_wrong_result}};
const RegisterRule register_wrong_after_timing{
    {.kind = "wrong_after_timing", .place = 2, .find = find_after_timing}};

}  // namespace
}  // namespace tilescope
