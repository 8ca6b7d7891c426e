#pragma once

#include <string>

#include "base/json_fwd.hpp"

namespace tilescope {

/// The launch document of another kernel of the file, which gets the buffers and variables of `launch`. `other`: an object
/// with its "grid", "block", "dynamic_shared_bytes" and "arguments", of which pointers are addresses in those buffers.
std::string launch_on_same_buffers(const Json& launch, const Json& other);

}  // namespace tilescope
