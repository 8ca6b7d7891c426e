#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <string>

#include "base/typed_number.hpp"

namespace tilescope {

/// The number of an option. Throws WrongUsage with the option, the text and the range.
std::uint64_t read_whole_option(const std::string& option, const std::string& text, WholeRange range);

/// The seconds of an option, more than 0 and at most a day. Throws WrongUsage.
double read_seconds_option(const std::string& option, const std::string& text);

/// Declares an option that takes a whole number of a range; by default all that its type holds.
template <class Number>
CLI::Option* add_whole_option(CLI::App& app, const std::string& name, Number& value,
                              const std::string& description,
                              WholeRange range = {0, std::numeric_limits<Number>::max()}) {
  const auto read = [&value, name, range](const std::string& text) {
    value = static_cast<Number>(read_whole_option(name, text, range));
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("N");
}

/// Declares an option that takes seconds.
CLI::Option* add_seconds_option(CLI::App& app, const std::string& name, double& value,
                                const std::string& description);

}  // namespace tilescope
