#include "sessions/point_parser.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sessions/json.hpp"

namespace tilescope {
namespace {

Json json_of(const simdjson::dom::element& element);

Json object_of(const simdjson::dom::object& members) {
  Json::object_t object;
  object.reserve(members.size());
  for (const auto& [key, value] : members) {
    const auto same = [&name = key](const auto& member) { return member.first == name; };
    if (std::any_of(object.begin(), object.end(), same))
      throw std::invalid_argument("the key '" + std::string(key) + "' stands twice");
    // The vector's own emplace_back: that of ordered_map looks for the key once more.
    static_cast<Json::object_t::Container&>(object).emplace_back(std::string(key), json_of(value));
  }
  return object;
}

Json list_of(const simdjson::dom::array& elements) {
  Json::array_t list;
  list.reserve(elements.size());
  for (const auto& element : elements) list.push_back(json_of(element));
  return list;
}

/// As Json::parse has it, a whole number that is not negative is one without a sign.
Json number_of(std::int64_t value) {
  return value < 0 ? Json(value) : Json(static_cast<std::uint64_t>(value));
}

Json json_of(const simdjson::dom::element& element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::OBJECT:
      return object_of(simdjson::dom::object(element));
    case Type::ARRAY:
      return list_of(simdjson::dom::array(element));
    case Type::STRING:
      return std::string(std::string_view(element));
    case Type::INT64:
      return number_of(std::int64_t(element));
    case Type::UINT64:
      return std::uint64_t(element);
    case Type::DOUBLE:
      return double(element);
    case Type::BOOL:
      return bool(element);
    case Type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace

struct PointParser::Parser {
  simdjson::dom::parser dom;
};

PointParser::PointParser() : parser_(std::make_unique<Parser>()) {}
PointParser::~PointParser() = default;

Json PointParser::parse(std::string_view text) {
  return json_of(parser_->dom.parse(text.data(), text.size()));
}

}  // namespace tilescope
