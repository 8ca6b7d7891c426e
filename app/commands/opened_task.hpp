#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "profiler/installation.hpp"
#include "profiler/service/client/python_task.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// The PyTorch task of a file that is opened, --task and --trust: both of its models run once the user has let them.
class OpenedTask {
 public:
  void declare(CLI::App& app);

  /// Finds the task of a file or a folder. Throws WrongUsage where --task names a file that has no reference.
  void find(const std::filesystem::path& file);
  bool is_found() const { return task_.has_value(); }
  /// The file with the task's kernels.
  const std::filesystem::path& kernels() const { return task_->kernels; }
  /// Runs it and adds its calls to `params`. Asks on a terminal; without one, says what lets it run. What went wrong
  /// is said, and the file is opened without. Throws Stopped.
  void run(const Installation& installation, OpenFile::Params& params);

 private:
  bool may_run(const TrustedTasks& trusted) const;

  std::string reference_;
  bool is_trusted_ = false;
  std::optional<PythonTask> task_;
  PythonTaskRun run_;
};

}  // namespace tilescope
