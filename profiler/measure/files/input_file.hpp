#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace tilescope {

/// The file cannot be run, whatever the launch is: what() says what it is and what to do.
class UnusableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class InputFile : std::uint8_t { ptx, cubin };

/// Kind of a file, by its contents. Text is taken for PTX. Throws UnusableFile for files that hold cubins
/// inside, such as a program, and for objects that are not linked.
InputFile input_file_of(std::string_view contents);

}  // namespace tilescope
