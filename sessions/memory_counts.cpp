#include "sessions/memory_counts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<CountKind, 2> count_kind_names{
    {{CountKind::counted, "counted"}, {CountKind::measured, "measured"}}};
constexpr EnumNames<CountedFrom, 2> counted_from_names{
    {{CountedFrom::machine_code, "machine_code"}, {CountedFrom::ptx, "ptx"}}};

CountKind count_kind_from(const std::string& text) {
  return value_of(text, count_kind_names, "kind of count");
}

CountedFrom counted_from_named(const std::string& text) {
  return value_of(text, counted_from_names, "code that is counted from");
}

// JSON's keys are texts: {"1": 4096, "8": 32}.
Json degrees_to_json(const std::map<std::int64_t, std::int64_t>& degrees) {
  Json json = Json::object();
  for (const auto& [degree, executions] : degrees) json[std::to_string(degree)] = executions;
  return json;
}

std::int64_t degree_from(const std::string& text) {
  std::size_t used = 0;
  std::int64_t degree = 0;
  try {
    degree = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || degree < 1) throw DocumentError("", "'" + text + "' is not a degree: 1 or more");
  return degree;
}

std::map<std::int64_t, std::int64_t> degrees_from(const Json& json) {
  std::map<std::string, std::int64_t> by_text;
  read_value(json, by_text);
  require_in(any_count, by_text);
  std::map<std::int64_t, std::int64_t> degrees;
  for (const auto& entry : by_text) {
    degrees[at_place(entry.first, [&] { return degree_from(entry.first); })] = entry.second;
  }
  return degrees;
}

constexpr Form<std::map<std::int64_t, std::int64_t>> degrees_form{degrees_to_json, degrees_from};

std::string without_function(const std::string& call) {
  return call.substr(0, call.find(' '));
}

std::string_view file_of(std::string_view place) {
  return place.substr(0, place.rfind(':'));
}

}  // namespace

std::string code_place(const std::optional<std::int64_t>& address, std::int64_t ptx_line) {
  if (!address) return "PTX line " + std::to_string(ptx_line);
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%04llx", static_cast<unsigned long long>(*address));
  return std::string("machine code at ") + digits;
}

std::vector<std::string> innermost_places(const std::vector<std::string>& inlined) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < std::min<std::size_t>(inlined.size(), 2); ++i)
    places.push_back(without_function(inlined[i]));
  return places;
}

std::string accessing_place(const std::vector<std::string>& inlined) {
  const std::vector<std::string> places = innermost_places(inlined);
  if (places.size() < 2) return "";
  return file_of(places[0]) == file_of(places[1]) ? places[0] : places[1];
}

std::optional<std::pair<std::string, std::int64_t>> file_and_line(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  return std::pair(place.substr(0, colon), std::strtoll(place.c_str() + colon + 1, nullptr, 10));
}

constexpr auto site_members = [](const auto& object, auto& site) {
  object.required("line", site.line, any_count);
  object.required("operation", site.operation);
  object.required("width_bytes", site.width_bytes, any_count);
  object.optional("tile", site.tile);
  object.required("executions", site.executions, any_count);
  object.required("wavefronts", site.wavefronts, any_count);
  object.required("minimum", site.minimum, any_count);
  object.required("conflicts", site.conflicts, any_count);
  object.required("worst_degree", site.worst_degree, any_count);
  object.optional("file", site.file);
  object.optional("inlined", site.inlined);
  object.optional("lanes", site.lanes, any_count);
  object.optional("degrees", site.degrees, degrees_form);
  object.optional("ptx_line", site.ptx_line, any_count);
  object.optional("address", site.address, any_count);
  object.optional("instruction", site.instruction);
};

void to_json(Json& json, const MemorySite& site) {
  site_members(ObjectWriter(json), site);
}

void from_json(const Json& json, MemorySite& site) {
  site_members(ObjectReader(json), site);
}

static std::string to_string(CountKind kind) {
  return name_of(kind, count_kind_names);
}
static std::string to_string(CountedFrom from) {
  return name_of(from, counted_from_names);
}

constexpr auto counts_members = [](const auto& object, auto& counts) {
  object.required("kind", counts.kind, count_kind_from);
  object.nullable("counted_from", counts.counted_from, counted_from_named);
  object.optional("blocks_run", counts.blocks_run, any_count);
  object.optional("blocks_total", counts.blocks_total, any_count);
  object.optional("shared_instructions", counts.shared_instructions, any_count);
  object.optional("shared_wavefronts", counts.shared_wavefronts, any_count);
  object.optional("shared_wavefronts_minimum", counts.shared_wavefronts_minimum, any_count);
  object.optional("shared_conflicts", counts.shared_conflicts, any_count);
  object.optional("global_requests", counts.global_requests, any_count);
  object.optional("global_sectors", counts.global_sectors, any_count);
  object.optional("global_sectors_minimum", counts.global_sectors_minimum, any_count);
  object.optional("bytes", counts.bytes, any_count);
  object.optional("instructions", counts.instructions, any_count);
  object.optional("warp_instructions", counts.warp_instructions, any_count);
  object.optional("barriers", counts.barriers, any_count);
  object.optional("work", counts.work);
  object.required("sites", counts.sites, read_list<MemorySite>);
};

void to_json(Json& json, const MemoryCounts& counts) {
  counts_members(ObjectWriter(json), counts);
}

void from_json(const Json& json, MemoryCounts& counts) {
  counts_members(ObjectReader(json), counts);
  if (counts.blocks_total > 0) {
    require_ascending({{"blocks_run", static_cast<double>(counts.blocks_run)},
                       {"blocks_total", static_cast<double>(counts.blocks_total)}});
  }
}

bool is_fault(const Finding& finding) {
  return finding.kind != "same_value_store";
}

constexpr auto finding_members = [](const auto& object, auto& finding) {
  object.required("kind", finding.kind);
  object.required("lines", finding.lines, any_count);
  object.required("text", finding.text);
  object.list_or_null("block", finding.block, any_count);
  object.optional("threads", finding.threads, any_count);
  object.optional("addresses", finding.addresses);
  object.optional("occurrences", finding.occurrences, one_or_more);
};

void to_json(Json& json, const Finding& finding) {
  finding_members(ObjectWriter(json), finding);
}

void from_json(const Json& json, Finding& finding) {
  finding_members(ObjectReader(json), finding);
}

}  // namespace tilescope
