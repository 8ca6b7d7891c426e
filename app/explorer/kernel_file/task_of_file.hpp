#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/board.hpp"
#include "profiler/service/client/python_task.hpp"

namespace tilescope {

/// The PyTorch task that the opened file is a part of: its Python runs once the user has let it, and the file is opened with
/// what it passes to the kernels and what should come out.
class TaskOfFile {
 public:
  enum class State { none, asks, runs, done, failed };

  explicit TaskOfFile(Board& board);
  ~TaskOfFile();
  TaskOfFile(const TaskOfFile&) = delete;
  TaskOfFile& operator=(const TaskOfFile&) = delete;

  /// By a panel that shows it, in every frame: looks for the task of a file that was opened, and runs one that the user has
  /// let run before.
  void want();
  State state() const { return state_; }
  /// None for State::none.
  const std::optional<PythonTask>& task() const { return task_; }
  /// The user lets it run, and would let the same files run again.
  void run();
  void cancel();
  /// Whether the file has changed since it ran.
  bool is_outdated() const;
  /// Why it has no tensors, a sentence; "" unless failed.
  const std::string& problem() const { return problem_; }
  std::string activity() const;

 private:
  void find();
  void start();

  Board& board_;
  std::filesystem::path file_;
  std::uint64_t version_ = 0;
  State state_ = State::none;
  std::optional<PythonTask> task_;
  std::string problem_;
  /// Set to end the run under way.
  std::shared_ptr<std::atomic<bool>> cancelled_;
  NewestTask work_;
};

}  // namespace tilescope
