#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/board.hpp"
#include "app/explorer/folder_watch.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/client/python_task.hpp"
#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/views/kernel_file/launch_rows.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// The tag of what belongs to a block of the opened file's kernel: its recorder, its play head, and the focus of its
/// panels.
inline constexpr const char* block_of_file = "block of the file";

/// Tensors and sizes that a PyTorch task passes to the kernels of a file.
struct TaskTensors {
  std::vector<HostCall> calls;
  std::vector<SentArray> arrays;
  /// The arrays' files live as long as it.
  std::shared_ptr<PythonTaskRun> files;
};

/// The kernel file that the window has open, with the kernel and the values that the user chose, and the newest answer.
/// A change of the file asks again.
class OpenedFile {
 public:
  explicit OpenedFile(Board& board);

  /// Opens a file with a guessed launch, in the place of the one before. A file that was open earlier has the kernel and
  /// the values that were chosen then.
  void open(const std::filesystem::path& file);
  /// Empty before a file was opened.
  const std::filesystem::path& file() const { return question_.file; }

  /// By a panel that shows the answer, in every frame: asks where the question has changed.
  void want();
  /// Reads the file and executes it again.
  void reload() { ++question_.version; }
  void cancel();

  /// A kernel by its KernelRow::entry. Each keeps its own values.
  void choose_kernel(const std::string& entry);
  /// The kernel that is asked for; "" for the first one, which shown() names.
  const std::string& kernel() const { return question_.entry; }
  /// Gives a part of the launch a value, and asks again; an empty value goes back to the guess.
  void choose(const std::string& what, const std::string& value);
  void forget_choices();
  bool has_choices() const;
  const ChosenValues& chosen() const { return question_.chosen; }
  /// Options of the compiler: "-I/home/me/include".
  const std::vector<std::string>& options() const { return question_.options; }
  /// Opens the file with a task's tensors from now on; asks again.
  void take_tensors(std::shared_ptr<const TaskTensors> tensors) { question_.tensors = std::move(tensors); }
  /// Adds the task's tensors to a question about the file.
  void add_tensors(OpenFile::Params& params) const;
  /// A folder with headers that the file includes; asks again.
  void add_include_folder(const std::string& folder);
  /// A macro that the file's build defines, "TILE=32"; asks again. A newer value replaces the one before.
  void define(const std::string& definition);
  /// The kernel that an answer is of, or that is asked for; "" before.
  const std::string& shown_entry() const;
  /// Counts up with each reload and change of the file.
  std::uint64_t version() const { return question_.version; }
  /// Keeps a point that was asked for elsewhere, of the kernel that is shown: where these values are chosen, it is shown
  /// without being executed again.
  void keep(const ChosenValues& chosen, std::shared_ptr<const OpenedPoint> point);
  /// The answer that was kept for these values of the kernel that is shown, with its launch guessed; nullptr for none.
  std::shared_ptr<const OpenedPoint> find_answer(const ChosenValues& chosen) const;
  /// The rows of the kernel that is asked for; empty before its first answer.
  const std::vector<LaunchRow>& launch() const;

  /// The kernel that is shown, with its launch; none where it did not run.
  std::optional<ChosenFile> recorded_file() const;

  /// The last answer; it stays while a newer one is awaited. nullptr before the first one.
  const std::shared_ptr<const OpenedFileView>& shown() const { return shown_; }
  bool waits() const { return state_ == State::reads || state_ == State::waits; }
  bool is_cancelled() const { return state_ == State::cancelled; }
  /// Why the file could not be read or sent, a sentence; else "".
  const std::string& problem() const { return problem_; }
  /// "compile", "interpret"; "" before.
  std::string stage() const { return request_.stage(); }
  /// "reading saxpy.cu" before and after the worker's part; else "".
  std::string activity() const;

 private:
  enum class State { idle, reads, waits, cancelled };
  struct Question {
    std::filesystem::path file;
    std::string entry;
    ChosenValues chosen;
    std::string device;
    /// Counts up with each reload and change of the file.
    std::uint64_t version = 0;
    std::vector<std::string> options{};
    /// nullptr without a task.
    std::shared_ptr<const TaskTensors> tensors{};

    bool operator==(const Question&) const = default;
  };

  /// Choices of a file that is not open any more.
  struct FileChoices {
    std::string entry;
    std::vector<std::string> options;
    std::map<std::string, ChosenValues> by_kernel;
    std::map<std::string, std::vector<LaunchRow>> launches;
  };

  void keep_choices();
  void take_kept_choices();
  Question question_with(const ChosenValues& chosen) const;
  bool take_kept();
  void keep_as(Question question, std::shared_ptr<const OpenedPoint> point);
  void send();
  void ask(OpenFile::Params params);
  void take(std::shared_ptr<const OpenedPoint> point);
  void end(std::shared_ptr<const OpenedFileView> view, const ChosenValues& chosen);
  void fail(std::string sentence);
  void watch();

  Board& board_;
  Question question_;
  std::optional<Question> asked_;
  /// The file as it was read last, which the newest answers are of.
  FileSubject subject_;
  /// A declared launch whose place the user's values take.
  std::optional<SentFile> left_aside_;
  /// By kernel, for the user to come back to.
  std::map<std::string, ChosenValues> choices_;
  /// By file, for the same.
  std::map<std::filesystem::path, FileChoices> former_;
  State state_ = State::idle;
  /// By kernel, as the values.
  std::map<std::string, std::vector<LaunchRow>> launches_;
  /// The kernel of the last answer that named one.
  std::string answered_;
  /// Answers to earlier questions, the newest last.
  std::vector<std::pair<Question, std::shared_ptr<const OpenedPoint>>> kept_;
  std::shared_ptr<const OpenedFileView> shown_;
  std::string problem_;
  NewestTask task_;
  NewestRequests::Handle request_;
  /// For the watch's thread, which may call after this object has gone.
  std::shared_ptr<OpenedFile*> self_;
  /// Last: it ends first.
  std::unique_ptr<FolderWatch> watch_;
};

}  // namespace tilescope
