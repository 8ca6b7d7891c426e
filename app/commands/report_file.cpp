#include "app/commands/report_file.hpp"

#include <fmt/format.h>

#include "app/commands/command.hpp"
#include "base/output_file.hpp"

namespace tilescope {

void refuse_second_document(const OutputOptions& output, const std::string& option,
                            const std::filesystem::path& file) {
  if (!output.json || file.empty() || !is_standard_output(file)) return;
  throw WrongUsage(
      fmt::format("{} {}: --json prints its document to stdout: name another file, or leave --json out",
                  option, file.string()));
}

void print_beside(const std::filesystem::path& file, const std::string& text) {
  if (file.empty() || !is_standard_output(file)) return print(text);
  say(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text);
}

}  // namespace tilescope
