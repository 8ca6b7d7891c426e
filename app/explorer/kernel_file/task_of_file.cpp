#include "app/explorer/kernel_file/task_of_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "profiler/installation.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope {

TaskOfFile::TaskOfFile(Board& board) : board_(board), work_(board.parts.background) {
  board_.get<OpenedFile>();  // made first, so that it goes last
}

TaskOfFile::~TaskOfFile() {
  cancel();
}

void TaskOfFile::want() {
  const std::filesystem::path& file = board_.get<OpenedFile>().file();
  if (file == file_) return;
  cancel();
  file_ = file;
  state_ = State::none;
  task_.reset();
  if (!file.empty()) find();
}

void TaskOfFile::find() {
  work_.start([this, file = file_, data = board_.parts.installation.data] {
    const std::optional<PythonTask> task = find_python_task(file);
    const bool is_trusted = task && TrustedTasks(data).has(*task);
    return [this, task, is_trusted] {
      task_ = task;
      state_ = task ? State::asks : State::none;
      if (is_trusted) start();
    };
  });
}

void TaskOfFile::run() {
  if (!task_) return;
  TrustedTasks(board_.parts.installation.data).add(*task_);
  start();
}

void TaskOfFile::start() {
  cancel();
  state_ = State::runs;
  problem_.clear();
  version_ = board_.get<OpenedFile>().version();
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  const auto program = recording_program(board_.parts.installation.root);
  work_.start([this, task = *task_, program, cancelled = cancelled_] {
    auto tensors = std::make_shared<TaskTensors>();
    tensors->files = std::make_shared<PythonTaskRun>();
    OpenFile::Params params;
    std::string problem;
    try {
      problem = tensors->files->add_calls(
          task, program, [cancelled] { return cancelled->load(); }, params);
    } catch (const ProgramCancelled&) {
      problem = "It was cancelled.";
    }
    tensors->calls = std::move(params.calls);
    tensors->arrays = std::move(params.subject.arrays);
    return [this, tensors, problem] {
      problem_ = problem;
      state_ = problem.empty() ? State::done : State::failed;
      if (problem.empty()) board_.get<OpenedFile>().take_tensors(tensors);
    };
  });
}

void TaskOfFile::cancel() {
  if (cancelled_) *cancelled_ = true;
  if (state_ != State::runs) return;
  work_.drop();
  state_ = State::asks;
}

bool TaskOfFile::is_outdated() const {
  return state_ == State::done && version_ != board_.get<OpenedFile>().version();
}

std::string TaskOfFile::activity() const {
  return state_ == State::runs ? "running " + task_->reference.filename().string() : "";
}

}  // namespace tilescope
