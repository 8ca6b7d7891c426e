#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/object_writer.hpp"
#include "profiler/execution/memory/block_recording.hpp"

namespace tilescope {

constexpr auto pattern_members = [](const auto& object, auto& pattern) {
  object.required("lanes", pattern.lanes);
  object.required("offsets", pattern.offsets);
  object.required("source_offsets", pattern.source_offsets);
  object.required("source_lanes", pattern.source_lanes);
};

static void to_json(Json& json, const RecordedPattern& pattern) {
  pattern_members(ObjectWriter(json), pattern);
}

static void from_json(const Json& json, RecordedPattern& pattern) {
  pattern_members(ObjectReader(json), pattern);
  if (pattern.lanes == 0) throw DocumentError("/lanes", "expected a bit for each lane");
  const bool has_sources = !pattern.source_offsets.empty();
  if ((pattern.source_lanes & ~pattern.lanes) != 0 || (pattern.source_lanes != 0) != has_sources)
    throw DocumentError("/source_lanes", "expected a bit for each of the lanes that reads");
  if (has_sources && pattern.source_offsets.size() != pattern.offsets.size())
    throw DocumentError("/source_offsets", "expected 32 numbers or none");
}

// Columns take half of the bytes of a list of objects, and are read faster.
constexpr auto access_columns = [](const auto& object, auto& accesses) {
  object.first_column("site", accesses, &RecordedAccess::site);
  object.column("pattern", accesses, &RecordedAccess::pattern);
  object.column("warp", accesses, &RecordedAccess::warp);
  object.column("base", accesses, &RecordedAccess::base);
  object.column("source_base", accesses, &RecordedAccess::source_base);
  object.column("wavefronts", accesses, &RecordedAccess::wavefronts);
  object.column("minimum", accesses, &RecordedAccess::minimum);
  object.column("degree", accesses, &RecordedAccess::degree);
};

// The patterns are those that no piece before this one had.
constexpr auto piece_members = [](const auto& object, auto&& patterns, auto&& accesses) {
  object.required("patterns", patterns, read_list<RecordedPattern>);
  access_columns(object, accesses);
};

namespace {

constexpr simt::Access last_access = simt::Access::atomic_count;

simt::Access access_from(const Json& json) {
  std::string name;
  read_value(json, name);
  for (int kind = 0; kind <= static_cast<int>(last_access); ++kind) {
    if (name_of(static_cast<simt::Access>(kind)) == name) return static_cast<simt::Access>(kind);
  }
  throw DocumentError("", "'" + name + "' is not a kind of memory access");
}

bool is_shared_from(const Json& json) {
  std::string space;
  read_value(json, space);
  if (space != "shared" && space != "global")
    throw DocumentError("", "'" + space + "' is neither shared nor global");
  return space == "shared";
}

}  // namespace

Json piece_of(const BlockRecording& recording, std::size_t first, std::size_t count) {
  const std::size_t begin = std::min(first, recording.accesses.size());
  const std::size_t end = begin + std::min(count, recording.accesses.size() - begin);
  // Patterns are numbered in the order of their first use.
  std::size_t known = 0, used = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const std::size_t after = recording.accesses[i].pattern + std::size_t{1};
    used = std::max(used, after);
    if (i < begin) known = used;
  }
  Json piece;
  piece_members(ObjectWriter(piece), std::span(recording.patterns).subspan(known, used - known),
                std::span(recording.accesses).subspan(begin, end - begin));
  return piece;
}

void append_piece(BlockRecording& recording, const Json& piece) {
  std::vector<RecordedPattern> patterns;
  std::vector<RecordedAccess> accesses;
  piece_members(ObjectReader(piece), patterns, accesses);
  recording.patterns.insert(recording.patterns.end(), patterns.begin(), patterns.end());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].pattern >= recording.patterns.size())
      throw DocumentError("/pattern/" + std::to_string(i), "there is no such pattern");
  }
  recording.accesses.insert(recording.accesses.end(), accesses.begin(), accesses.end());
}

namespace {
constexpr Form<bool> space_form{[](const bool& is_shared) { return Json(is_shared ? "shared" : "global"); },
                                is_shared_from};
constexpr Form<simt::Access> access_form{[](const simt::Access& access) { return Json(name_of(access)); },
                                         access_from};
}  // namespace

constexpr auto site_members = [](const auto& object, auto& site) {
  object.required("space", site.is_shared, space_form);
  object.required("access", site.access, access_form);
  object.required("line", site.line);
  object.required("ptx_line", site.ptx_line);
  object.nullable("address", site.address);
  object.required("operation", site.operation);
  object.required("width_bytes", site.width_bytes);
  object.required("tile", site.tile);
  object.required("instruction", site.instruction);
  object.required("inlined", site.inlined);
};

void to_json(Json& json, const RecordedSite& site) {
  site_members(ObjectWriter(json), site);
}

void from_json(const Json& json, RecordedSite& site) {
  site_members(ObjectReader(json), site);
}

constexpr auto tile_members = [](const auto& object, auto& array) {
  object.required("name", array.name);
  object.required("offset", array.offset);
  object.required("bytes", array.bytes);
};

void to_json(Json& json, const NamedTile& array) {
  tile_members(ObjectWriter(json), array);
}

void from_json(const Json& json, NamedTile& array) {
  tile_members(ObjectReader(json), array);
}

constexpr auto executions_members = [](const auto& object, auto& line) {
  object.required("ptx_line", line.ptx_line);
  object.nullable("address", line.address);
  object.required("line", line.line);
  object.required("executions", line.executions);
};

void to_json(Json& json, const LineExecutions& line) {
  executions_members(ObjectWriter(json), line);
}

void from_json(const Json& json, LineExecutions& line) {
  executions_members(ObjectReader(json), line);
}

}  // namespace tilescope
