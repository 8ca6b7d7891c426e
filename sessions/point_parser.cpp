#include "sessions/point_parser.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/json.hpp"

namespace tilescope {
namespace {

/// `levels` are those that may still be entered.
Json json_of(const simdjson::dom::element& element, std::size_t levels);

Json object_of(const simdjson::dom::object& members, std::size_t levels) {
  Json::object_t object;
  object.reserve(members.size());
  for (const auto& [key, value] : members) {
    const auto same = [&name = key](const auto& member) { return member.first == name; };
    if (std::any_of(object.begin(), object.end(), same))
      throw std::invalid_argument("the key '" + std::string(key) + "' stands twice");
    // The vector's own emplace_back: ordered_map's looks for the key once more.
    static_cast<Json::object_t::Container&>(object).emplace_back(std::string(key), json_of(value, levels));
  }
  return object;
}

Json list_of(const simdjson::dom::array& elements, std::size_t levels) {
  Json::array_t list;
  list.reserve(elements.size());
  for (const auto& element : elements) list.push_back(json_of(element, levels));
  return list;
}

/// As Json::parse has it, a whole number that is not negative is one without a sign.
Json number_of(std::int64_t value) {
  return value < 0 ? Json(value) : Json(static_cast<std::uint64_t>(value));
}

std::size_t one_less(std::size_t levels) {
  if (levels == 0)
    throw std::invalid_argument("nested deeper than " + std::to_string(json_nesting_limit) + " levels");
  return levels - 1;
}

Json json_of(const simdjson::dom::element& element, std::size_t levels) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::OBJECT:
      return object_of(simdjson::dom::object(element), one_less(levels));
    case Type::ARRAY:
      return list_of(simdjson::dom::array(element), one_less(levels));
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
  return json_of(parser_->dom.parse(text.data(), text.size()), json_nesting_limit);
}

}  // namespace tilescope
