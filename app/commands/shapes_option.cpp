#include "app/commands/shapes_option.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "app/commands/command.hpp"

namespace tilescope {

void ShapesOption::declare(CLI::App& app) {
  CLI::Option* option =
      app.add_option("--shapes", text_,
                     "Several shapes: a JSON file, canonical (six that ship), or typed ones: \"1,8,512,64; "
                     "4,16,512,64 causal\"")
          ->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); })
          ->type_name("SET");
  for (const char* other : {"--shape", "--causal", "--dtype"}) {
    if (CLI::Option* excluded = app.get_option_no_throw(other)) option->excludes(excluded);
  }
}

ShapeSet ShapesOption::shapes(const Installation& installation) const {
  try {
    return find_shape_set(text_, installation.root / "assets" / "shapes");
  } catch (const ShapeSetError& error) {
    const std::string reason = std::string("--shapes: ") + error.what();
    if (names_a_file()) throw UnreadableInput(reason);
    throw WrongUsage(reason);
  }
}

bool ShapesOption::names_a_file() const {
  std::error_code ignored;
  return text_.ends_with(".json") || std::filesystem::exists(text_, ignored);
}

}  // namespace tilescope
