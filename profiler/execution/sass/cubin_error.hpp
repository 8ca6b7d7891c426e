#pragma once

#include <stdexcept>

namespace tilescope::sass {

/// The file is not a cubin, has errors, or is for a GPU that is not supported: what() is a sentence.
class CubinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilescope::sass
