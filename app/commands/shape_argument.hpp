#pragma once

#include <string>

#include "sessions/experiment.hpp"

namespace tilescope {

/// Sets the sizes of `shape` from "B,H,S,D": H may be "Hq/Hkv" for grouped heads, S "Sq/Sk" or "SqxSk" for queries and
/// keys of different length. Throws WrongUsage with what is wrong and the expected form.
void read_shape_argument(const std::string& text, Shape& shape);

}  // namespace tilescope
