#include "profiler/service/client/python_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/json_values.hpp"
#include "base/regular_file.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_task_bytes = std::uint64_t{1} << 20U, max_calls_bytes = std::uint64_t{1} << 20U;
constexpr std::chrono::minutes time_limit{10};
// [B] All tensors together, which the worker reads: launches are limited to subject_file_limit.
constexpr std::uint64_t max_tensor_bytes = std::uint64_t{192} << 20U;

std::string text_of(const fs::path& file) {
  try {
    return read_regular_file(file, max_task_bytes);
  } catch (const UnreadableFile&) {
    return "";
  }
}

bool has_line(std::string_view text, std::string_view start) {
  for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at + 1)) {
    const std::size_t end = at + start.size();
    const bool is_whole = end >= text.size() || text[end] == '(' || text[end] == ':' || text[end] == ' ';
    if ((at == 0 || text[at - 1] == '\n') && is_whole) return true;
  }
  return false;
}

bool has_new_model(const std::string& text) {
  return has_line(text, "class ModelNew");
}

bool is_reference(const std::string& text) {
  return has_line(text, "class Model") && has_line(text, "def get_inputs");
}

bool takes_function(const std::string& text) {
  return is_reference(text) &&
         (text.find("fn=") != std::string::npos || text.find("fn:") != std::string::npos);
}

std::vector<fs::path> files_in(const fs::path& folder, const char* extension) {
  constexpr std::size_t most = 1000;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (files.size() == most) break;
    if (entry->path().extension() == extension) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> with(std::vector<fs::path> files, bool (*is_wanted)(const std::string&)) {
  std::erase_if(files, [&](const fs::path& file) { return !is_wanted(text_of(file)); });
  return files;
}

// Letters with which both names begin and end.
std::size_t common_letters(const std::string& one, const std::string& other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t begin = 0, end = 0;
  while (begin < most && one[begin] == other[begin]) ++begin;
  while (end < most - begin && one[one.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
  return begin + end;
}

std::optional<fs::path> reference_beside(const fs::path& kernels) {
  const std::vector<fs::path> references = with(files_in(kernels.parent_path(), ".py"), is_reference);
  const auto nearness = [&](const fs::path& file) {
    return common_letters(file.filename().string(), kernels.filename().string());
  };
  const auto nearest = std::ranges::max_element(references, {}, nearness);
  if (nearest == references.end()) return std::nullopt;
  return *nearest;
}

std::optional<PythonTask> task_of_file(const fs::path& file) {
  if (file.extension() != ".py") return std::nullopt;
  const std::string text = text_of(file);
  if (!has_new_model(text)) return std::nullopt;
  if (is_reference(text)) return PythonTask{file, file};
  const std::optional<fs::path> reference = reference_beside(file);
  if (!reference) return std::nullopt;
  return PythonTask{file, *reference};
}

std::optional<PythonTask> task_in_folder(const fs::path& folder) {
  const std::vector<fs::path> scripts = files_in(folder, ".py");
  if (const std::vector<fs::path> models = with(scripts, has_new_model); models.size() == 1)
    return task_of_file(models.front());
  const std::vector<fs::path> sources = files_in(folder, ".cu"), references = with(scripts, takes_function);
  if (sources.size() != 1 || references.size() != 1) return std::nullopt;
  return PythonTask{sources.front(), references.front()};
}

// The last line of what Python wrote, which names the error.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string why_failed(const ProgramResult& result, const std::string& python) {
  const std::string error = last_line(result.errors);
  if (error.find("No module named 'torch'") != std::string::npos)
    return fmt::format(
        "'{}' has no PyTorch, which the task's inputs and reference need: install it (pip install torch "
        "numpy), or name "
        "a Python that has it in TILESCOPE_PYTHON",
        python);
  return fmt::format("Python did not run the task: {}", error.empty() ? "it said nothing" : error);
}

void take_calls(const fs::path& folder, const Json& document, OpenFile::Params& params) {
  params.calls = document.at("calls").get<std::vector<HostCall>>();
  std::uint64_t left = sent_arrays_limit;
  const auto send = [&](const HostTensor& tensor) {
    if (tensor.array.empty()) return;
    const fs::path path = folder / tensor.array;
    std::string contents = read_regular_file(path, subject_file_limit);
    const std::uint64_t bytes = contents.size();
    params.subject.arrays.push_back({tensor.array, sent_file(path, std::move(contents), left)});
    if (params.subject.arrays.back().file.contents) left -= bytes;
  };
  for (const HostCall& call : params.calls) {
    for (const HostArgument& argument : call.arguments)
      if (argument.tensor) send(*argument.tensor);
    for (const HostTensor& result : call.results) send(result);
  }
}

}  // namespace

std::optional<PythonTask> find_python_task(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return std::nullopt;
  return fs::is_directory(whole, error) ? task_in_folder(whole) : task_of_file(whole);
}

std::string content_hash(const PythonTask& task) {
  const std::string kernels = text_of(task.kernels), reference = text_of(task.reference);
  if (kernels.empty() || reference.empty()) return "";
  return sha256(sha256(kernels) + sha256(reference));
}

bool TrustedTasks::has(const PythonTask& task) const {
  const std::string hash = content_hash(task);
  try {
    const Json list = read_json_file(file_, max_calls_bytes);
    return !hash.empty() && list.is_array() && std::ranges::find(list, Json(hash)) != list.end();
  } catch (const std::exception&) {
    return false;
  }
}

void TrustedTasks::add(const PythonTask& task) const {
  const std::string hash = content_hash(task);
  if (hash.empty() || has(task)) return;
  try {
    Json list = Json::array();
    std::error_code ignored;
    if (fs::exists(file_, ignored)) list = read_json_file(file_, max_calls_bytes);
    if (!list.is_array()) list = Json::array();
    list.push_back(hash);
    fs::create_directories(file_.parent_path());
    replace_file(file_, {list.dump(1) + "\n"});
  } catch (const std::exception&) {
    return;
  }
}

std::string PythonTaskRun::add_calls(const PythonTask& task, const Program& program,
                                     const std::function<bool()>& cancelled, OpenFile::Params& params) {
  ProgramCall call;
  call.command = {program.python,
                  program.recorder.string(),
                  folder_.path().string(),
                  std::to_string(max_tensor_bytes),
                  fs::absolute(task.kernels).string(),
                  fs::absolute(task.reference).string()};
  call.time_limit = time_limit;
  call.memory_limit = std::numeric_limits<std::uint64_t>::max();
  call.cancelled = cancelled;
  try {
    const ProgramResult result = run_program(call);
    if (!result.succeeded()) return why_failed(result, program.python);
    const Json document = read_json_file(folder_.path() / "calls.json", max_calls_bytes);
    take_calls(folder_.path(), document, params);
    const std::string problem = document.at("problem").get<std::string>();
    if (!params.calls.empty() || problem.empty()) return "";
    return fmt::format("Python did not run the task: {}", problem);
  } catch (const ProgramFailed& failed) {
    return fmt::format("'{}' did not run the task: {}", program.python, failed.what());
  } catch (const ProgramCancelled&) {
    throw;
  } catch (const std::exception& error) {
    params.calls.clear();
    params.subject.arrays.clear();
    return fmt::format("what Python wrote on the task cannot be read: {}", error.what());
  }
}

PythonTaskRun::Program recording_program(const fs::path& root) {
  const std::string named = environment("TILESCOPE_PYTHON");
  return {root / "assets" / "tasks" / "record_calls.py", named.empty() ? "python3" : named};
}

}  // namespace tilescope
