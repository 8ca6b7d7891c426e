#pragma once

#include "profiler/execution/ptx/text/reading.hpp"

namespace tilescope::ptx {

/// Reads the body of a function, from its opening brace, which is the next word, to its closing one.
void read_body(Reading& reading, Function& function);

}  // namespace tilescope::ptx
