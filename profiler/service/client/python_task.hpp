#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "profiler/process/temporary_folder.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A task of PyTorch, as KernelBench and robust-kbench have them: a model that calls CUDA kernels, and one that says what is
/// right.
struct PythonTask {
  /// A .py file with `ModelNew` and CUDA C++ in strings, or a .cu file whose function forward() of the reference takes as `fn`.
  std::filesystem::path kernels;
  /// A .py file with `Model` and `get_inputs()`; may be the same.
  std::filesystem::path reference;

  bool operator==(const PythonTask&) const = default;
};

/// The task that a file or a folder is, or is a part of: the reference of a file with ModelNew is the file itself, else the
/// .py file beside it that has one, with the nearest name. Both paths are absolute. None where it is none.
std::optional<PythonTask> find_python_task(const std::filesystem::path& path);

/// Tells tasks with other contents apart; "" where one cannot be read.
std::string content_hash(const PythonTask& task);

/// Tasks that the user lets run: by their contents, so that a changed file is asked about again.
class TrustedTasks {
 public:
  /// `data`: Installation::data.
  explicit TrustedTasks(const std::filesystem::path& data) : file_(data / "trusted_tasks.json") {}

  bool has(const PythonTask& task) const;
  /// A list that cannot be written is none: the task is asked about again.
  void add(const PythonTask& task) const;

 private:
  std::filesystem::path file_;
};

/// Runs both models of a task with Python on the CPU, without compiling anything. Its files live as long as this.
class PythonTaskRun {
 public:
  struct Program {
    /// assets/tasks/record_calls.py
    std::filesystem::path recorder;
    /// TILESCOPE_PYTHON, else "python3".
    std::string python;
  };

  /// Adds the task's calls and their arrays to `params`. Returns what went wrong, a sentence that says what to do; "" for
  /// nothing. Throws ProgramCancelled.
  std::string add_calls(const PythonTask& task, const Program& program,
                        const std::function<bool()>& cancelled, OpenFile::Params& params);

 private:
  TemporaryFolder folder_;
};

/// The program of this installation.
PythonTaskRun::Program recording_program(const std::filesystem::path& root);

}  // namespace tilescope
