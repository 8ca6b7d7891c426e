#include "profiler/views/memory/lane_words.hpp"

#include <set>

#include "base/text/format.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  std::set<std::int64_t> seen;
  std::erase_if(values, [&](std::int64_t value) { return !seen.insert(value).second; });
  return values;
}

}  // namespace

std::string bytes_words(std::uint64_t bytes) {
  return format_count(static_cast<std::int64_t>(bytes)) + " B";
}

std::optional<std::int64_t> common_step(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const std::int64_t step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return std::nullopt;
  }
  return step;
}

std::vector<std::int64_t> lane_addresses(const MicroscopeView& view, const std::vector<std::int64_t>& lanes) {
  std::vector<std::int64_t> addresses;
  addresses.reserve(lanes.size());
  for (const std::int64_t lane : lanes)
    addresses.push_back(static_cast<std::int64_t>(view.lanes[static_cast<std::size_t>(lane)].address));
  return addresses;
}

std::string places_words(const MicroscopeView& view, const std::vector<std::int64_t>& lanes) {
  const AddressPlace& first = view.lanes[static_cast<std::size_t>(lanes.front())].place;
  std::vector<std::int64_t> rows, columns, offsets, bytes = lane_addresses(view, lanes);
  bool same_tile = true;
  for (const std::int64_t lane : lanes) {
    const AddressPlace& place = view.lanes[static_cast<std::size_t>(lane)].place;
    same_tile = same_tile && place.tile == first.tile;
    offsets.push_back(place.offset);
    if (!place.element) continue;
    rows.push_back(place.element->row);
    columns.push_back(place.element->column);
  }
  if (!same_tile || first.tile.empty()) return counted_list("byte", distinct(bytes)) + " of shared memory";
  if (rows.size() < lanes.size()) return counted_list("byte", distinct(offsets)) + " of " + first.tile;
  rows = distinct(rows);
  columns = distinct(columns);
  const bool both_vary = rows.size() > 1 && columns.size() > 1;
  return counted_list("row", rows) + (both_vary ? " and " : ", ") + counted_list("column", columns) + " of " +
         first.tile;
}

}  // namespace tilescope
