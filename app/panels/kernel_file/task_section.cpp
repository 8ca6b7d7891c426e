#include "app/panels/kernel_file/task_section.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "app/explorer/kernel_file/task_of_file.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

std::string files_of(const PythonTask& task) {
  const std::string kernels = task.kernels.filename().string(),
                    reference = task.reference.filename().string();
  return kernels == reference ? kernels : kernels + " and " + reference;
}

void draw_run_button(TaskOfFile& task, const char* label) {
  if (ImGui::Button(label)) task.run();
  landmark("kernel_file.task.run");
  help_tooltip(
      "Python runs both files with your rights, on the CPU. Files that have not changed run without a "
      "question "
      "the next time.");
}

std::string question_of(const PythonTask& task) {
  return fmt::format("Python can run {} for the tensors that the kernel gets and for what it should return.",
                     files_of(task));
}

}  // namespace

void draw_task(TaskOfFile& task) {
  if (task.state() == TaskOfFile::State::none) return;
  section_heading("PyTorch task", task.task()->reference.filename().string());
  switch (task.state()) {
    case TaskOfFile::State::none:
      return;
    case TaskOfFile::State::asks:
      text_wrapped(palette().muted, question_of(*task.task()));
      return draw_run_button(task, "Run task");
    case TaskOfFile::State::runs:
      text_wrapped(palette().muted, fmt::format("Python runs {}...", files_of(*task.task())));
      if (ImGui::Button("Cancel")) task.cancel();
      landmark("kernel_file.task.cancel");
      return;
    case TaskOfFile::State::failed:
      text_wrapped(palette().warning, capitalised(task.problem()));
      return draw_run_button(task, "Run again");
    case TaskOfFile::State::done:
      text_wrapped(palette().muted, task.is_outdated() ? "The file has changed since it gave the tensors."
                                                       : "Its tensors are in the launch.");
      if (task.is_outdated()) draw_run_button(task, "Run again");
      return;
  }
}

}  // namespace tilescope
