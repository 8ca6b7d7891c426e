#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// Headers that only name Json include this file: the whole of nlohmann/json.hpp takes seconds to compile, and most
/// files that use an Experiment or a Measurement never look at its JSON. Files that read or write a document include
/// base/json.hpp.
namespace tilescope {

/// The JSON type of every document that Tilescope writes: keys keep the order of the contract.
using Json = nlohmann::ordered_json;

/// One line of JSON. Bytes that are not UTF-8 (a compiler's log, a file name) become the replacement
/// character: a point must never be lost because of one of them.
std::string to_line(const Json& json);

/// Readable JSON, indented by two.
std::string to_indented_text(const Json& json);

}  // namespace tilescope
