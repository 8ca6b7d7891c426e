#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <stdexcept>

#include "app/commands/command.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/output.hpp"
#include "app/commands/sibling.hpp"
#include "profiler/service/requests/step.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

/// Has the window's program draw, which needs no display, checks panel, size and theme, and prints what it drew. It
/// replaces this process, except with --json, where also a program that crashes must have a document.
class Screenshot : public Command {
 public:
  std::string name() const override { return "screenshot"; }
  std::string summary() const override {
    return "A panel, or the whole window, as a picture; a panel's table as CSV";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("PANEL", panel_, "A panel's name, or window for all of it")->required()->type_name("");
    app.add_option("--session", session_, "The session to draw")->required()->type_name("FILE");
    app.add_option("--to", picture_,
                   "The file to write: .png and .svg for a picture, .csv for the panel's table")
        ->required()
        ->type_name("FILE");
    app.add_option("--size", size_, "Pixels, such as 1280x720")->type_name("WxH");
    app.add_option("--theme", theme_, "dark or light")->type_name("NAME");
    app.add_option("--workspace", workspace_, "The workspace in a picture of the window, such as tune")
        ->type_name("NAME");
    app.add_option("--choose", choices_,
                   "What to choose in the panel, such as view=cliffs in occupancy; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add_whole_option(
        app, "--line", line_,
        "The line of the kernel's file in pictures of its memory accesses; the worst one without it",
        {1, std::numeric_limits<std::uint32_t>::max()});
    app.add_option("--step", step_, "Where panels that step through a block stop, such as tile:2")
        ->type_name("PLACE");
    app.add_option("--inputs", inputs_, "What Q, K and V hold there: random or large_logits")
        ->type_name("WHICH");
    output_.declare_json(app);
  }

  ExitCode run() override {
    try {
      if (!step_.empty()) step_target_from(step_);
      if (!inputs_.empty()) step_inputs_from(inputs_);
    } catch (const std::invalid_argument& error) {
      throw WrongUsage(error.what());
    }
    load_session(session_);  // An invalid session is reported here, before a window is opened for it.
    std::vector<std::string> arguments = picture_arguments(panel_, session_, picture_);
    if (!size_.empty()) arguments.insert(arguments.end(), {"--size", size_});
    if (!theme_.empty()) arguments.insert(arguments.end(), {"--theme", theme_});
    if (!workspace_.empty()) arguments.insert(arguments.end(), {"--workspace", workspace_});
    for (const std::string& choice : choices_) arguments.insert(arguments.end(), {"--choose", choice});
    if (line_ != 0) arguments.insert(arguments.end(), {"--line", std::to_string(line_)});
    if (!step_.empty()) arguments.insert(arguments.end(), {"--step", step_});
    if (!inputs_.empty()) arguments.insert(arguments.end(), {"--inputs", inputs_});
    const std::filesystem::path program = window_program(find_installation());
    if (!output_.json) become_program(program, arguments);
    arguments.emplace_back("--json");
    return print_document_of(program, arguments);
  }

 private:
  std::string panel_;
  std::filesystem::path session_;
  std::filesystem::path picture_;
  std::string size_;
  std::string theme_;
  std::string workspace_;
  std::vector<std::string> choices_;
  std::uint32_t line_ = 0;
  std::string step_, inputs_;
  OutputOptions output_;
};

const RegisterCommand register_screenshot{[] { return std::make_unique<Screenshot>(); }};

}  // namespace
}  // namespace tilescope
