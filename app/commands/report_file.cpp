#include "app/commands/report_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "app/commands/command.hpp"
#include "sessions/atomic_file.hpp"

namespace tilescope {

void write_report(const std::filesystem::path& file, const std::string& text) {
  try {
    replace_file(file, {text});
  } catch (const std::system_error& error) {
    throw CannotRun(fmt::format("{}: the report cannot be written: {}", file.string(), error.what()));
  }
}

}  // namespace tilescope
