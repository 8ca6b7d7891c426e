#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_named = 2;

std::vector<Diagnosis> find_equal_machine_code(const DiagnosisInput& input) {
  const std::vector<std::string>& others = input.same_code;
  if (others.empty() || !input.point.resources) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(max_named, others.size()); ++i)
    names += (names.empty() ? "" : ", ") + others[i];
  if (others.size() > max_named)
    names += fmt::format(" and {} more", format_count(static_cast<std::int64_t>(others.size() - max_named)));
  return {{"equal_machine_code",
           Severity::hint,
           {},
           "The same program as " + names + ".",
           fmt::format("Machine code {} with the same grid, threads, shared memory and arguments.",
                       input.point.resources->sass_sha256.substr(0, 12)),
           "Do not rank these points against each other: a difference between them is noise."}};
}

const RegisterRule register_equal_machine_code{
    {.kind = "equal_machine_code", .place = 60, .find = find_equal_machine_code}};

}  // namespace
}  // namespace tilescope
