#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "app/commands/terminal.hpp"
#include "base/json.hpp"
#include "profiler/gpu/doctor/checks.hpp"

namespace tilescope {
namespace {

TextColor text_color_of(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return TextColor::green;
    case CheckState::warning:
      return TextColor::yellow;
    case CheckState::missing:
      return TextColor::red;
  }
  return TextColor::none;
}

std::string text_of(const std::vector<MachineCheck>& checks) {
  std::string text;
  for (const MachineCheck& check : checks) {
    const std::string state = fmt::format("{:<8}", to_string(check.state));
    text += fmt::format("{:<8} {} {}", check.name, colored(state, text_color_of(check.state)), check.found);
    if (!check.advice.empty()) text += ". " + check.advice;
    text += '\n';
  }
  return text;
}

/// With TILESCOPE_WORKER another machine measures, which these lines do not describe.
void say_what_measures() {
  const char* worker = std::getenv("TILESCOPE_WORKER");
  if (worker == nullptr || *worker == '\0') return;
  std::string command = worker;
  constexpr std::string_view last_word = "worker";
  if (command.ends_with(last_word))
    command.replace(command.size() - last_word.size(), last_word.size(), "doctor");
  say(fmt::format("TILESCOPE_WORKER is set: the machine that measures is not checked here. Check it with: {}",
                  command));
}

class Doctor : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string summary() const override { return "What this machine has and lacks, and what to do about it"; }
  void declare_options(CLI::App& app) override { output_.declare_json(app); }

  ExitCode run() override {
    const std::vector<MachineCheck> checks = check_machine(look_at_machine(find_installation()));
    if (output_.json) {
      print_json(to_json_document(checks));
    } else {
      print(text_of(checks));
    }
    say_what_measures();
    return ExitCode::done;
  }

 private:
  OutputOptions output_;
};

const RegisterCommand register_doctor{[] { return std::make_unique<Doctor>(); }};

}  // namespace
}  // namespace tilescope
