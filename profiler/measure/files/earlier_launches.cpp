#include "profiler/measure/files/earlier_launches.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/launch_problems.hpp"
#include "profiler/measure/files/same_buffers.hpp"

namespace tilescope {
namespace {

constexpr const char* member = "before";

}  // namespace

std::vector<EarlierLaunch> earlier_launches(const std::string& launch_document) {
  const Json launch = parse_json(launch_document);
  std::vector<EarlierLaunch> earlier;
  if (!launch.is_object() || !launch.contains(member)) return earlier;
  const Json& list = launch[member];
  if (!list.is_array()) throw LaunchFileError("\"before\" must be a list of launches with an \"entry\" each");
  LaunchProblems problems;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", member, i);
    if (!list[i].is_object()) {
      problems.add(place, "must be an object with an \"entry\"");
      continue;
    }
    problems.check_keys(list[i], place, {"entry", "grid", "block", "dynamic_shared_bytes", "arguments"});
    std::optional<std::string> entry = problems.text(list[i], place, "entry");
    if (!entry)
      problems.add(place, "\"entry\" must name a kernel of the file");
    else
      earlier.push_back({std::move(*entry), launch_on_same_buffers(launch, list[i])});
  }
  problems.throw_if_any();
  return earlier;
}

}  // namespace tilescope
