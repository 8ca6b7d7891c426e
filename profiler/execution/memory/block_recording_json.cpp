#include <algorithm>
#include <limits>

#include "base/object_writer.hpp"
#include "profiler/execution/memory/block_recording.hpp"

namespace tilescope {
namespace {

Json pattern_json(const RecordedPattern& pattern) {
  return {{"lanes", pattern.lanes},
          {"offsets", pattern.offsets},
          {"source_offsets", pattern.source_offsets},
          {"source_lanes", pattern.source_lanes}};
}

RecordedPattern pattern_from(const Json& json) {
  const ObjectReader object(json);
  RecordedPattern pattern;
  std::uint64_t lanes = 0;
  object.required("lanes", lanes);
  if (lanes == 0 || lanes > simt::all_lanes) throw DocumentError("/lanes", "expected a bit for each lane");
  pattern.lanes = static_cast<std::uint32_t>(lanes);
  std::vector<std::int64_t> offsets;
  object.required("offsets", offsets);
  object.required("source_offsets", pattern.source_offsets);
  std::uint64_t source_lanes = 0;
  object.required("source_lanes", source_lanes);
  if ((source_lanes & ~lanes) != 0 || (source_lanes != 0) == pattern.source_offsets.empty())
    throw DocumentError("/source_lanes", "expected a bit for each of the lanes that reads");
  pattern.source_lanes = static_cast<std::uint32_t>(source_lanes);
  if (offsets.size() != pattern.offsets.size()) throw DocumentError("/offsets", "expected 32 numbers");
  if (!pattern.source_offsets.empty() && pattern.source_offsets.size() != pattern.offsets.size())
    throw DocumentError("/source_offsets", "expected 32 numbers or none");
  std::ranges::copy(offsets, pattern.offsets.begin());
  return pattern;
}

// One member of all accesses: columns take half of the bytes of a list of objects, and are read faster.
template <class Member>
Json column(const BlockRecording& recording, std::size_t begin, std::size_t end,
            Member RecordedAccess::*member) {
  Json values = Json::array();
  for (std::size_t i = begin; i < end; ++i) values.push_back(recording.accesses[i].*member);
  return values;
}

template <class Member>
void read_column(const Json& piece, const char* name, BlockRecording& recording, std::size_t begin,
                 Member RecordedAccess::*member) {
  const Json& values = ObjectReader(piece).find_required(name);
  const std::size_t count = recording.accesses.size() - begin;
  if (!values.is_array() || values.size() != count)
    throw DocumentError(std::string("/") + name, "expected a number for each access");
  for (std::size_t i = 0; i < count; ++i) {
    const bool fits = values[i].is_number_unsigned() &&
                      values[i].get<std::uint64_t>() <= std::numeric_limits<Member>::max();
    if (!fits) throw DocumentError(std::string("/") + name + "/" + std::to_string(i), "out of range");
    recording.accesses[begin + i].*member = values[i].get<Member>();
  }
}

constexpr simt::Access last_access = simt::Access::atomic_count;

simt::Access access_from(const std::string& name) {
  for (int kind = 0; kind <= static_cast<int>(last_access); ++kind) {
    if (name_of(static_cast<simt::Access>(kind)) == name) return static_cast<simt::Access>(kind);
  }
  throw DocumentError("", "'" + name + "' is not a kind of memory access");
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
  Json patterns = Json::array();
  for (std::size_t i = known; i < used; ++i) patterns.push_back(pattern_json(recording.patterns[i]));
  return {{"patterns", std::move(patterns)},
          {"site", column(recording, begin, end, &RecordedAccess::site)},
          {"pattern", column(recording, begin, end, &RecordedAccess::pattern)},
          {"warp", column(recording, begin, end, &RecordedAccess::warp)},
          {"base", column(recording, begin, end, &RecordedAccess::base)},
          {"source_base", column(recording, begin, end, &RecordedAccess::source_base)},
          {"wavefronts", column(recording, begin, end, &RecordedAccess::wavefronts)},
          {"minimum", column(recording, begin, end, &RecordedAccess::minimum)},
          {"degree", column(recording, begin, end, &RecordedAccess::degree)}};
}

void append_piece(BlockRecording& recording, const Json& piece) {
  const ObjectReader object(piece);
  const Json& patterns = object.find_required("patterns");
  require_list(patterns);
  for (const Json& pattern : patterns) {
    at_place("patterns", [&] { recording.patterns.push_back(pattern_from(pattern)); });
  }
  const std::size_t begin = recording.accesses.size();
  recording.accesses.resize(begin + object.find_required("site").size());
  read_column(piece, "site", recording, begin, &RecordedAccess::site);
  read_column(piece, "pattern", recording, begin, &RecordedAccess::pattern);
  read_column(piece, "warp", recording, begin, &RecordedAccess::warp);
  read_column(piece, "base", recording, begin, &RecordedAccess::base);
  read_column(piece, "source_base", recording, begin, &RecordedAccess::source_base);
  read_column(piece, "wavefronts", recording, begin, &RecordedAccess::wavefronts);
  read_column(piece, "minimum", recording, begin, &RecordedAccess::minimum);
  read_column(piece, "degree", recording, begin, &RecordedAccess::degree);
  for (std::size_t i = begin; i < recording.accesses.size(); ++i) {
    if (recording.accesses[i].pattern >= recording.patterns.size())
      throw DocumentError("/pattern/" + std::to_string(i - begin), "there is no such pattern");
  }
}

void to_json(Json& json, const RecordedSite& site) {
  json = Json{{"space", site.is_shared ? "shared" : "global"},
              {"access", name_of(site.access)},
              {"line", site.line},
              {"ptx_line", site.ptx_line},
              {"address", value_or_null(site.address)},
              {"operation", site.operation},
              {"width_bytes", site.width_bytes},
              {"tile", site.tile},
              {"instruction", site.instruction},
              {"inlined", site.inlined}};
}

void from_json(const Json& json, RecordedSite& site) {
  const ObjectReader object(json);
  std::string space, access;
  object.required("space", space);
  object.required("access", access);
  std::uint64_t line = 0, ptx_line = 0, width = 0;
  object.required("line", line);
  object.required("ptx_line", ptx_line);
  object.nullable("address", site.address);
  object.required("operation", site.operation);
  object.required("width_bytes", width);
  object.required("tile", site.tile);
  object.required("instruction", site.instruction);
  object.required("inlined", site.inlined);
  if (space != "shared" && space != "global")
    throw DocumentError("/space", "'" + space + "' is neither shared nor global");
  site.is_shared = space == "shared";
  site.access = at_place("access", [&] { return access_from(access); });
  site.line = static_cast<std::uint32_t>(line);
  site.ptx_line = static_cast<std::uint32_t>(ptx_line);
  site.width_bytes = static_cast<std::uint32_t>(width);
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

void to_json(Json& json, const LineExecutions& line) {
  json = Json{{"ptx_line", line.ptx_line},
              {"address", value_or_null(line.address)},
              {"line", line.line},
              {"executions", line.executions}};
}

void from_json(const Json& json, LineExecutions& line) {
  const ObjectReader object(json);
  std::uint64_t ptx_line = 0, source_line = 0;
  object.required("ptx_line", ptx_line);
  object.nullable("address", line.address);
  object.required("line", source_line);
  object.required("executions", line.executions);
  line.ptx_line = static_cast<std::uint32_t>(ptx_line);
  line.line = static_cast<std::uint32_t>(source_line);
}

}  // namespace tilescope
