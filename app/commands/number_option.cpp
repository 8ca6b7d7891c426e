#include "app/commands/number_option.hpp"

#include <fmt/format.h>

#include <optional>

#include "app/commands/command.hpp"

namespace tilescope {
namespace {

// A day is longer than anything here takes; the bound keeps the arithmetic inside its type.
constexpr double most_seconds = 86400;

}  // namespace

std::uint64_t read_whole_option(const std::string& option, const std::string& text, WholeRange range) {
  try {
    return whole_number_in(range, text);
  } catch (const std::invalid_argument& error) {
    throw WrongUsage(option + ": " + error.what());
  }
}

double read_seconds_option(const std::string& option, const std::string& text) {
  const std::optional<double> seconds = decimal_from(text);
  if (seconds && *seconds > 0 && *seconds <= most_seconds) return *seconds;
  throw WrongUsage(fmt::format("{}: '{}' is not a number of seconds, more than 0 and at most {}", option,
                               text, most_seconds));
}

CLI::Option* add_seconds_option(CLI::App& app, const std::string& name, double& value,
                                const std::string& description) {
  const auto read = [&value, name](const std::string& text) { value = read_seconds_option(name, text); };
  return app.add_option_function<std::string>(name, read, description)->type_name("SECONDS");
}

}  // namespace tilescope
