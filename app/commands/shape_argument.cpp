#include "app/commands/shape_argument.hpp"

#include <fmt/format.h>

#include "app/commands/command.hpp"
#include "sessions/shape_set.hpp"

namespace tilescope {

void read_shape_argument(const std::string& text, Shape& shape) {
  try {
    read_shape_sizes(text, shape);
  } catch (const std::invalid_argument& error) {
    throw WrongUsage(fmt::format("--shape '{}': {}. {}", text, error.what(), shape_sizes_help()));
  }
}

}  // namespace tilescope
