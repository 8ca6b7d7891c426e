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

void read_places(const Json& json, MachineCode& code) {
  const ObjectReader object(json);
  std::vector<std::string> files;
  object.required("files", files);
  const Json& lists = object.find_required("lists");
  at_place("lists", [&] {
    require_list(lists);
    for (const Json& list : lists) code.places.push_back(places_from(list, files));
  });
}

template <class Member>
Json column(const MachineCode& code, Member SassLine::*member) {
  Json values = Json::array();
  for (const SassLine& line : code.lines) values.push_back(line.*member);
  return values;
}

/// Columns, as the lines are many and short.
void read_lines(const ObjectReader& object, MachineCode& code) {
  std::vector<std::string> texts;
  std::vector<std::int64_t> addresses, places, ptx_lines;
  object.required("texts", texts);
  object.required("addresses", addresses);
  object.required("place_lists", places);
  object.required("ptx_lines", ptx_lines);
  const std::size_t count = texts.size();
  if (addresses.size() != count || places.size() != count || ptx_lines.size() != count)
    throw DocumentError("/texts", "expected as many addresses, places and PTX lines");
  for (std::size_t i = 0; i < count; ++i) {
    SassLine line{static_cast<std::uint64_t>(addresses[i]), std::move(texts[i]),
                  static_cast<std::uint32_t>(places[i]), static_cast<std::uint32_t>(ptx_lines[i])};
    if (line.places != SassLine::no_places && line.places >= code.places.size())
      throw DocumentError("/place_lists/" + std::to_string(i), "there is no such list");
    code.lines.push_back(std::move(line));
  }
}

}  // namespace

constexpr auto listing_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
};

void to_json(Json& json, const Listing::Params& params) {
  listing_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Listing::Params& params) {
  listing_params_members(ObjectReader(json), params);
}

void to_json(Json& json, const MachineCode& code) {
  json = Json{{"sha256", code.sha256},
              {"why_none", code.why_none},
              {"program", code.program},
              {"places", places_json(code.places)},
              {"texts", column(code, &SassLine::text)},
              {"addresses", column(code, &SassLine::address)},
              {"place_lists", column(code, &SassLine::places)},
              {"ptx_lines", column(code, &SassLine::ptx_line)}};
}

void from_json(const Json& json, MachineCode& code) {
  const ObjectReader object(json);
  object.required("sha256", code.sha256);
  object.required("why_none", code.why_none);
  object.required("program", code.program);
  at_place("places", [&] { read_places(object.find_required("places"), code); });
  read_lines(object, code);
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
