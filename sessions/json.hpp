#pragma once

#include <nlohmann/json.hpp>

namespace tilescope {

/// The JSON type of every document that Tilescope writes: keys keep the order in which the contract lists them.
using Json = nlohmann::ordered_json;

}  // namespace tilescope
