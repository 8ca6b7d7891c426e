#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tilescope {

/// Wraps the help of a program or command to the terminal's width, 80 characters where stdout is not a terminal.
/// Subcommands that are added later take it over.
void format_help(CLI::App& app);

/// One row of a list in a help text, wrapped in two columns: "  name   what it is\n".
std::string help_row(const std::string& name, const std::string& description);

}  // namespace tilescope
