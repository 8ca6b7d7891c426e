#include "profiler/measure/open/added_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {
namespace {

std::int64_t columns_to_add(const std::string& choice, const std::string& text) {
  const double value = chosen_number(choice, text);
  if (value < 0 || value != std::floor(value) || value > std::numeric_limits<std::int16_t>::max())
    throw std::invalid_argument(
        fmt::format("'{}' for '{}' must be a whole number from 0: elements of a row", text, choice));
  return static_cast<std::int64_t>(value);
}

std::string grown(const std::string& size, std::int64_t columns) {
  return fmt::format("({}) + {}", size, columns);
}

}  // namespace

bool can_add_columns(const std::string& text, const SharedArrayDeclaration& array) {
  return array.sizes.size() > 1 && array.last_size_end <= text.size() &&
         text.compare(array.last_size_begin, array.last_size_end - array.last_size_begin,
                      array.sizes.back()) == 0;
}

std::string with_added_columns(std::string text, const CudaSource& source,
                               const std::map<std::string, std::string>& chosen) {
  const std::vector<SharedArrayDeclaration> arrays = source.shared_arrays({});
  std::map<std::string, std::int64_t> added;
  for (const auto& [choice, value] : chosen) {
    const std::string array = array_of_choice(choice);
    if (!array.empty()) added[array] = columns_to_add(choice, value);
  }
  if (added.empty()) return text;
  std::map<std::string, bool> is_found;
  // From the end: what stands before keeps its place.
  for (auto array = arrays.rbegin(); array != arrays.rend(); ++array) {
    const auto choice = added.find(array->name);
    if (choice == added.end() || !can_add_columns(text, *array)) continue;
    is_found[array->name] = true;
    const std::string size =
        text.substr(array->last_size_begin, array->last_size_end - array->last_size_begin);
    if (choice->second > 0) text.replace(array->last_size_begin, size.size(), grown(size, choice->second));
  }
  for (const auto& [array, columns] : added) {
    if (!is_found[array])
      throw std::invalid_argument(fmt::format(
          "the file declares no array '{}' with rows in shared memory: no columns can be added", array));
  }
  return text;
}

void take_added_columns(const std::map<std::string, std::string>& chosen, SourceTile& tile) {
  const std::string choice = added_columns_choice(tile.name);
  const auto value = chosen.find(choice);
  if (value == chosen.end()) return;
  const std::int64_t columns = columns_to_add(choice, value->second);
  std::string& size = tile.sizes.back();
  const std::string end = fmt::format(") + {}", columns);
  if (columns == 0 || !size.starts_with('(') || !size.ends_with(end)) return;
  size = size.substr(1, size.size() - end.size() - 1);
  tile.added_columns = columns;
}

}  // namespace tilescope
