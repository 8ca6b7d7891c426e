#include "profiler/measure/files/reference_launch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/launch_problems.hpp"
#include "profiler/measure/files/same_buffers.hpp"

namespace tilescope {
namespace {

constexpr const char* place = "reference";

std::vector<std::string> compared_buffers(const Json& given, LaunchProblems& problems) {
  std::vector<std::string> names;
  if (!given.contains("buffers")) return names;
  const Json& list = given["buffers"];
  for (const Json& name : list.is_array() ? list : Json::array({list})) {
    if (name.is_string())
      names.push_back(name.get<std::string>());
    else
      problems.add(fmt::format("{}.buffers", place), "must be a list of the names of buffers");
  }
  return names;
}

std::optional<double> tolerance_of(const Json& given, LaunchProblems& problems) {
  if (!given.contains("tolerance")) return std::nullopt;
  if (given["tolerance"].is_number() && given["tolerance"] >= 0) return given["tolerance"].get<double>();
  problems.add(fmt::format("{}.tolerance", place), "must be a number that is 0 or more");
  return std::nullopt;
}

}  // namespace

std::optional<ReferenceLaunch> reference_launch(const std::string& launch_document) {
  const Json launch = parse_json(launch_document);
  if (!launch.is_object() || !launch.contains(place)) return std::nullopt;
  const Json& given = launch[place];
  if (!given.is_object()) throw LaunchFileError("\"reference\" must be an object with an \"entry\"");
  LaunchProblems problems;
  problems.check_keys(
      given, place, {"entry", "grid", "block", "dynamic_shared_bytes", "arguments", "buffers", "tolerance"});
  ReferenceLaunch reference;
  if (auto entry = problems.text(given, place, "entry"))
    reference.entry = std::move(*entry);
  else
    problems.add(place, "\"entry\" must name a kernel of the file");
  reference.buffers = compared_buffers(given, problems);
  reference.tolerance = tolerance_of(given, problems);
  problems.throw_if_any();
  reference.document = launch_on_same_buffers(launch, given);
  return reference;
}

double reference_tolerance(const Element& element) {
  if (element.kind != Element::Kind::floating) return 0;
  if (element.name == "f16") return 1e-2;
  if (element.bytes < 4) return 5e-2;
  return element.bytes == 4 ? 1e-4 : 1e-10;
}

Tolerance reference_tolerance(const TypedContents& values, std::optional<double> relative,
                              const std::vector<bool>& only) {
  const Element& element = values.element;
  const double part = relative.value_or(reference_tolerance(element));
  if (part == 0 || element.kind == Element::Kind::bits) return {};
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.bytes.size() / element.bytes; ++i) {
    if (!only.empty() && !only[i]) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, values.bytes.data() + i * element.bytes, element.bytes);
    const auto value = static_cast<double>(number_of(bits, element));
    if (!std::isfinite(value)) continue;
    sum += value * value;
    ++count;
  }
  return {count == 0 ? 0 : part * std::sqrt(sum / count), part};
}

}  // namespace tilescope
