#include "profiler/measure/files/launch_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

bool names_array(const std::string& key, const Json& member) {
  if (key == "npy") return member.is_string();
  return (key == "expected" || key == "values") && is_array_name(member);
}

void add_named(const Json& part, std::vector<std::string>& names) {
  if (part.is_array()) {
    for (const Json& member : part) add_named(member, names);
  }
  if (!part.is_object()) return;
  for (const auto& [key, member] : part.items()) {
    add_named(member, names);
    if (!names_array(key, member)) continue;
    auto name = member.get<std::string>();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
}

}  // namespace

bool is_array_name(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().ends_with(".npy");
}

std::vector<std::string> named_arrays(const Json& launch) {
  std::vector<std::string> names;
  add_named(launch, names);
  return names;
}

std::optional<LaunchArrays::Elements> LaunchArrays::read(const Json& given, const Element& element,
                                                         const std::string& place) const {
  const auto name = problems_.text(given, place, "npy");
  if (!name) return std::nullopt;
  const auto file = std::ranges::find(files_, *name, &SentArray::name);
  if (file == files_.end()) {
    problems_.add(place, fmt::format("'{}' did not come with the launch", *name));
    return std::nullopt;
  }
  try {
    const std::string contents = contents_of(file->file);
    const NpyArray array(contents);
    if (array.count() == 0) throw std::invalid_argument("it has no items");
    return Elements{array.elements(element), array.shape(), array.description()};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    problems_.add(place, fmt::format("'{}': {}", *name, error.what()));
    return std::nullopt;
  }
}

}  // namespace tilescope
