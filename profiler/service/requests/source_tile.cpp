#include "profiler/service/requests/source_tile.hpp"

#include <string_view>

#include "base/json.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_source_tile(Visit&& member, Value& value) {
  member("name", value.name);
  member("offset", value.offset);
  member("bytes", value.bytes);
  member("type", value.type);
  member("element_bytes", value.element_bytes);
  member("sizes", value.sizes);
  member("counts", value.counts);
  member("added_columns", value.added_columns);
  member("line", value.line);
  member("can_grow", value.can_grow);
}

static constexpr std::string_view added_columns = ": added columns";

std::string added_columns_choice(const std::string& array) {
  return array + std::string(added_columns);
}

std::string array_of_choice(const std::string& choice) {
  if (!choice.ends_with(added_columns)) return "";
  return choice.substr(0, choice.size() - added_columns.size());
}

void to_json(Json& json, const SourceTile& tile) {
  visit_source_tile(members::Writer(json), tile);
}

void from_json(const Json& json, SourceTile& tile) {
  visit_source_tile(members::Reader(json), tile);
  const bool is_whole = tile.element_bytes > 0 && tile.bytes > 0 && !tile.counts.empty() &&
                        tile.counts.back() > 0 && tile.sizes.size() == tile.counts.size();
  if (!is_whole) throw DocumentError("/counts", "expected the sizes of an array");
}

}  // namespace tilescope
