#include "app/commands/help.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"

namespace tilescope {
namespace {

constexpr std::size_t column = 26;

std::size_t help_width() {
  return output_width(120, 80);
}

// Lines that fit are kept as they are: they may be rows of a list.
std::string paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result += (line.size() <= help_width() ? line : wrapped(line, help_width(), 0)) + "\n";
  }
  return result;
}

// CLI11 wraps nothing itself.
class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return help_row(make_option_name(option, is_positional) + make_option_opts(option),
                    make_option_desc(option));
  }
  // CLI11 writes a positional that takes 2 to 6 values as "A(2x)".
  std::string make_option_usage(const CLI::Option* option) const override {
    if (option->get_option_text().empty()) return CLI::Formatter::make_option_usage(option);
    return make_option_name(option, true) + make_option_opts(option);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return help_row(command->get_name(), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return paragraphs(app->get_description());
  }
  std::string make_footer(const CLI::App* app) const override { return paragraphs(app->get_footer()); }
};

}  // namespace

void format_help(CLI::App& app) {
  app.formatter(std::make_shared<WrappingFormatter>());
}

std::string help_row(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  // A name that reaches into the second column has a line of its own.
  text += text.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - text.size(), ' ');
  return text + wrapped(description, help_width() - column, column) + "\n";
}

}  // namespace tilescope
