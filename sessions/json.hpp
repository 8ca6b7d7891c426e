#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilescope {

/// The JSON type of every document that Tilescope writes: keys keep the order of the contract.
using Json = nlohmann::ordered_json;

/// One line of JSON. Bytes that are not UTF-8 (a compiler's log, a file name) become the replacement
/// character: a point must never be lost because of one of them.
inline std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Readable JSON, indented by two.
inline std::string to_indented_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilescope
