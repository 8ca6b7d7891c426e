#include "app/commands/opened_task.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <system_error>

#include "app/commands/failure.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string files_of(const PythonTask& task) {
  const std::string kernels = task.kernels.filename().string(),
                    reference = task.reference.filename().string();
  return kernels == reference ? "'" + kernels + "'" : fmt::format("'{}' and '{}'", kernels, reference);
}

// Whether the program may ask a question.
bool is_interactive() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

void OpenedTask::declare(CLI::App& app) {
  app.add_option(
         "--task", reference_,
         "The Python file of a PyTorch task with Model and get_inputs(), for a file with ModelNew; one "
         "beside it is found")
      ->type_name("MODEL.py");
  app.add_flag("--trust", is_trusted_,
               "Let Python run a PyTorch task (ModelNew, Model) for its tensors and its reference, without a "
               "question");
}

void OpenedTask::find(const fs::path& file) {
  if (reference_.empty()) {
    task_ = find_python_task(file);
    return;
  }
  std::error_code ignored;
  if (!fs::is_regular_file(reference_, ignored))
    throw UnreadableInput(fmt::format("--task: there is no file '{}'", reference_));
  task_ = PythonTask{file, reference_};
}

bool OpenedTask::may_run(const TrustedTasks& trusted) const {
  if (is_trusted_ || trusted.has(*task_)) return true;
  if (!is_interactive()) {
    say(fmt::format(
        "tilescope: {} {} a PyTorch task, which was not run: --trust lets Python run it for its tensors and "
        "its reference",
        files_of(*task_), task_->kernels == task_->reference ? "is" : "are"));
    return false;
  }
  say(fmt::format(
      "A PyTorch task: Python would run {}, with your rights, for the tensors and the reference. You are "
      "not asked again until they change.",
      files_of(*task_)));
  std::cerr << "Run them? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "Y" && answer != "yes") return false;
  trusted.add(*task_);
  return true;
}

void OpenedTask::run(const Installation& installation, OpenFile::Params& params) {
  if (!task_ && is_trusted_)
    say("tilescope: --trust: this is not a PyTorch task. One is a file with ModelNew, and Model and "
        "get_inputs() in it or in "
        "a file beside it (or --task MODEL.py); or a folder with both");
  if (!task_ || !may_run(TrustedTasks(installation.data))) return;
  try {
    const std::string problem =
        run_.add_calls(*task_, recording_program(installation.root), interrupted, params);
    if (!problem.empty()) say("tilescope: " + problem);
  } catch (const ProgramCancelled&) {
    throw Stopped();
  }
}

}  // namespace tilescope
