#pragma once

#include <stdexcept>

namespace tilescope::sass {

/// Machine code that the interpreter does not execute: the message names the instruction, its address and what is not
/// known about it.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilescope::sass
