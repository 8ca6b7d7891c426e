#include "profiler/explanation/tries/layout_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/json_values.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/array_declaration.hpp"
#include "profiler/views/memory/layout_table.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_tiles = 4;
// The conflicts of a tile with a smaller share of the wavefronts bound nothing.
constexpr double notable_share = 0.05;

bool has_padding_alone(const RankedLayout& ranked) {
  return ranked.layout && ranked.layout->padding > 0 && !ranked.layout->swizzle;
}

bool has_swizzle_alone(const RankedLayout& ranked) {
  return ranked.layout && ranked.layout->padding == 0 && ranked.layout->swizzle;
}

LayoutAnswer answer_of(const FoundLayouts& found, std::size_t layout) {
  const SolvedTile& solved = *found.solved;
  const RankedLayout& ranked = solved.layouts[layout];
  const LayoutDetail detail = layout_detail(solved, found.block->recording, layout);
  const LayoutCost& now = solved.layouts[solved.current].cost;
  LayoutAnswer answer{solved.tile.name,
                      ranked.words,
                      detail.cutlass,
                      ranked.index,
                      static_cast<std::int64_t>(now.wavefronts),
                      static_cast<std::int64_t>(now.minimum),
                      static_cast<std::int64_t>(ranked.cost.wavefronts)};
  answer.is_of_file = found.block->is_of_file();
  const bool names_rows = ranked.index.find("row") != std::string::npos;
  if (solved.has_rows_of_lanes && names_rows) answer.row_elements = solved.shape.columns;
  if (const auto added = added_columns(found, layout)) {
    answer.declaration = declaration_words(*source_tile(found), *added);
    answer.added_columns = *added;
    answer.index.clear();
  }
  if (ranked.offered.empty()) return answer;
  const OfferedLayout& offer = ranked.offered.front();
  const KernelLayout& there = solved.kernel_layouts[offer.layout];
  answer.change = ParameterChange{there.parameter, there.value};
  answer.promised = static_cast<std::int64_t>(offer.wavefronts);
  return answer;
}

std::string layout_words(const LayoutAnswer& answer) {
  if (!answer.declaration.empty()) return answer.layout + ": " + answer.declaration;
  if (answer.row_elements > 0) {
    return fmt::format("{0}, with row = i / {1} and column = i % {1} of an index i now", answer.layout,
                       answer.row_elements);
  }
  if (answer.is_of_file) return answer.layout;
  return answer.layout + ": " + (answer.change ? to_string(*answer.change) : "no parameter has it");
}

std::string tile_words(const LayoutAnswer& answer) {
  const std::string text = answer.tile + ": " + format_count(answer.promised);
  const std::string before = " instead of " + format_count(answer.before);
  if (answer.counted && *answer.counted != answer.promised) {
    return text + " wavefronts promised, " + format_count(*answer.counted) + " counted" + before +
           ": other accesses come with it";
  }
  return text + " wavefronts" + before + (answer.counted ? ", as promised and counted" : ", as promised");
}

}  // namespace

std::vector<std::string> conflicting_tiles(const FoundLayouts& found) {
  std::uint64_t all = 0;
  for (const SearchedTile& tile : found.tiles) all += tile.wavefronts;
  std::vector<std::string> names;
  for (const SearchedTile& tile : found.tiles) {
    const bool is_notable = static_cast<double>(tile.excess) >= notable_share * static_cast<double>(all);
    if (tile.excess > 0 && is_notable && names.size() < max_tiles) names.push_back(tile.name);
  }
  return names;
}

std::vector<LayoutAnswer> layout_answers(const FoundLayouts& found) {
  std::vector<LayoutAnswer> answers;
  if (!found.solved) return answers;
  const std::vector<RankedLayout>& layouts = found.solved->layouts;
  const std::uint64_t now = layouts[found.solved->current].cost.wavefronts;
  bool has_padding = false, has_swizzle = false;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const RankedLayout& ranked = layouts[i];
    if (!ranked.works || ranked.cost.wavefronts >= now) continue;
    const bool is_first_padding = !has_padding && has_padding_alone(ranked);
    const bool is_first_swizzle = !has_swizzle && has_swizzle_alone(ranked);
    has_padding |= is_first_padding;
    has_swizzle |= is_first_swizzle;
    if (answers.empty() || is_first_padding || is_first_swizzle || !ranked.offered.empty())
      answers.push_back(answer_of(found, i));
  }
  return answers;
}

const SourceTile* source_tile(const FoundLayouts& found) {
  const std::vector<SourceTile>& tiles = found.block->source_tiles;
  const auto tile = std::ranges::find(tiles, found.solved->tile.name, &SourceTile::name);
  return tile == tiles.end() ? nullptr : &*tile;
}

std::optional<std::int64_t> added_columns(const FoundLayouts& found, std::size_t layout) {
  const SourceTile* const tile = source_tile(found);
  const RankedLayout& ranked = found.solved->layouts.at(layout);
  const bool is_padding = ranked.layout && !ranked.layout->swizzle;
  if (tile == nullptr || !found.solved->is_declared || !is_padding) return std::nullopt;
  const std::int64_t bytes =
      pitch_of(*ranked.layout, found.solved->shape) - tile->columns() * tile->element_bytes;
  if (bytes % tile->element_bytes != 0) return std::nullopt;
  return bytes / tile->element_bytes;
}

std::vector<LayoutWords> words_of(const std::vector<LayoutAnswer>& answers) {
  std::vector<LayoutWords> all;
  for (const LayoutAnswer& answer : answers) {
    const std::string layout = layout_words(answer);
    auto words = std::ranges::find_if(
        all, [&](const LayoutWords& each) { return each.layout == layout && each.index == answer.index; });
    if (words == all.end()) words = all.insert(words, LayoutWords{layout, {}, answer.swizzle, answer.index});
    words->tiles.push_back(tile_words(answer));
  }
  return all;
}

void to_json(Json& json, const LayoutAnswer& answer) {
  json = Json::object();
  json["tile"] = answer.tile;
  json["layout"] = answer.layout;
  json["swizzle"] = text_or_null(answer.swizzle);
  json["index"] = text_or_null(answer.index);
  json["wavefronts"] = answer.before;
  json["wavefronts_minimum"] = answer.minimum;
  json["wavefronts_promised"] = answer.promised;
  json["wavefronts_counted"] = answer.counted ? Json(*answer.counted) : Json();
  json["parameter"] = answer.change ? Json(answer.change->parameter) : Json();
  json["value"] = answer.change ? Json(answer.change->value) : Json();
  if (!answer.is_of_file) return;
  json["declaration"] = text_or_null(answer.declaration);
  json["row_elements"] = answer.row_elements > 0 ? Json(answer.row_elements) : Json();
}

}  // namespace tilescope
