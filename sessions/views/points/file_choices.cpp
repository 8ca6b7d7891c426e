#include "sessions/views/points/file_choices.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <variant>

namespace tilescope {
namespace {

bool is_of(const Measurement& point, const std::string& kernel) {
  return point.arguments && point.kernel == kernel;
}

template <class Take>
void for_each_point(const std::string& kernel, const PointList& session, const PointList& recorded,
                    Take take) {
  for (const PointList* list : {&recorded, &session})
    for (const SharedMeasurement& point : *list)
      if (is_of(*point, kernel)) take(*point);
}

struct Work {
  Configuration numbers;
  double elements = 0;
};

Work work_of(const Measurement& point) {
  const std::string ending = elements_argument("");
  Work work;
  for (const auto& [name, value] : point.arguments.value_or(Configuration())) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (name.ends_with(ending) && number != nullptr) {
      work.elements += static_cast<double>(*number);
    } else {
      work.numbers.emplace(name, value);
    }
  }
  return work;
}

}  // namespace

Configuration file_configuration(const Measurement& point) {
  Configuration values = point.parameters;
  if (point.arguments) values.insert(point.arguments->begin(), point.arguments->end());
  return values;
}

std::vector<ParameterChoices> choices_of_points(const std::string& kernel, const PointList& session,
                                                const PointList& recorded) {
  std::map<std::string, std::set<ParameterValue>> values;
  for_each_point(kernel, session, recorded, [&](const Measurement& point) {
    for (const auto& [name, value] : point.parameters) values[name].insert(value);
  });
  for_each_point(kernel, session, recorded, [&](const Measurement& point) {
    for (const auto& [name, value] : *point.arguments) {
      const auto chosen = values.find(name);
      if (chosen != values.end() && !point.parameters.contains(name)) chosen->second.insert(value);
    }
  });
  std::vector<ParameterChoices> choices;
  for (const auto& [name, taken] : values)
    if (taken.size() > 1) choices.push_back({name, {taken.begin(), taken.end()}});
  return choices;
}

CurrentSources newest_source(const std::string& kernel, const PointList& session) {
  for (auto point = session.rbegin(); point != session.rend(); ++point)
    if (is_of(**point, kernel)) return {{kernel, (*point)->provenance.source_sha256}};
  return {};
}

bool do_equal_work(const std::vector<const Measurement*>& points) {
  constexpr double notably_more = 1.05;
  if (points.empty()) return true;
  const Work first = work_of(*points.front());
  double least = first.elements, most = first.elements;
  for (const Measurement* point : points) {
    const Work work = work_of(*point);
    if (work.numbers != first.numbers) return false;
    least = std::min(least, work.elements);
    most = std::max(most, work.elements);
  }
  return most <= notably_more * least;
}

}  // namespace tilescope
