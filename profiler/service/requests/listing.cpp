#include "profiler/service/requests/listing.hpp"

#include <map>
#include <utility>

#include "base/object_writer.hpp"

namespace tilescope {
namespace {

/// Files by number, and each list of places as numbers: file, line, file, line ...
Json places_json(const std::vector<std::vector<CodePlace>>& places) {
  std::map<std::string, std::size_t> numbers;
  Json files = Json::array();
  Json lists = Json::array();
  for (const std::vector<CodePlace>& list : places) {
    Json pairs = Json::array();
    for (const CodePlace& place : list) {
      const auto [known, is_new] = numbers.try_emplace(place.file, numbers.size());
      if (is_new) files.push_back(place.file);
      pairs.push_back(known->second);
      pairs.push_back(place.line);
    }
    lists.push_back(std::move(pairs));
  }
  return {{"files", std::move(files)}, {"lists", std::move(lists)}};
}

std::vector<CodePlace> places_from(const Json& json, const std::vector<std::string>& files) {
  std::vector<std::int64_t> pairs;
  read_value(json, pairs);
  if (pairs.size() % 2 != 0) throw DocumentError("", "expected pairs of file and line");
  std::vector<CodePlace> places;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const auto file = static_cast<std::size_t>(pairs[i]);
    if (pairs[i] < 0 || file >= files.size()) throw DocumentError("", "a place has no file");
    places.push_back({files[file], pairs[i + 1]});
  }
  return places;
}

std::vector<std::vector<CodePlace>> all_places_from(const Json& json) {
  const ObjectReader object(json);
  std::vector<std::string> files;
  object.required("files", files);
  const Json& lists = object.find_required("lists");
  std::vector<std::vector<CodePlace>> places;
  at_place("lists", [&] {
    require_list(lists);
    for (const Json& list : lists) places.push_back(places_from(list, files));
  });
  return places;
}

constexpr Form<std::vector<std::vector<CodePlace>>> places_form{places_json, all_places_from};

}  // namespace

constexpr auto listing_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
  object.omitted_if_empty("file", params.file);
};

void to_json(Json& json, const Listing::Params& params) {
  listing_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Listing::Params& params) {
  listing_params_members(ObjectReader(json), params);
}

constexpr auto machine_code_members = [](const auto& object, auto& code) {
  object.required("sha256", code.sha256);
  object.required("why_none", code.why_none);
  object.required("program", code.program);
  object.required("places", code.places, places_form);
  object.first_column("texts", code.lines, &SassLine::text);
  object.column("addresses", code.lines, &SassLine::address);
  object.column("place_lists", code.lines, &SassLine::places);
  object.column("ptx_lines", code.lines, &SassLine::ptx_line);
};

void to_json(Json& json, const MachineCode& code) {
  machine_code_members(ObjectWriter(json), code);
}

void from_json(const Json& json, MachineCode& code) {
  machine_code_members(ObjectReader(json), code);
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    const std::uint32_t list = code.lines[i].places;
    if (list != SassLine::no_places && list >= code.places.size())
      throw DocumentError("/place_lists/" + std::to_string(i), "there is no such list");
  }
}

constexpr auto listing_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("ptx", answer.ptx);
  object.required("machine_code", answer.machine_code);
  object.required("compiler_log", answer.compiler_log);
  object.required("source_sha256", answer.source_sha256);
  object.nullable("source", answer.source);
};

void to_json(Json& json, const Listing::Answer& answer) {
  listing_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Listing::Answer& answer) {
  listing_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
