#include "profiler/kernels/containers/compile_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/kernels/containers/cut_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// [B] A kernel's .json file has some 1 KB.
constexpr std::uint64_t max_json_bytes = std::uint64_t{1} << 20U;
// [B] Start of a PTX file in which its first .file is looked for at the end, and of the rest.
constexpr std::size_t max_ptx_bytes = std::size_t{8} << 20U;
// [B] IR of a kernel, and the Python file that it was compiled from.
constexpr std::uint64_t max_ir_bytes = std::uint64_t{16} << 20U;
constexpr std::uint64_t max_python_bytes = std::uint64_t{4} << 20U;

int number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::optional<int> shared_of(const Json& json) {
  const auto found = json.find("shared");
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int>();
}

// Triton 3.2 and newer pass one pointer to scratch memory, and 3.4 and newer one for its profiler, too.
void take_options(const Json& json, TritonEntry& entry) {
  for (const char* const name : {"num_warps", "num_stages", "maxnreg"})
    if (const int value = number(json, name); value > 0) entry.constants[name] = {value, 0};
  for (const char* const name : {"global_scratch_size", "profile_scratch_size"})
    entry.scratch_pointers += json.contains(name) ? 1 : 0;
}

std::string read_or_nothing(const fs::path& file, std::uint64_t max_bytes) {
  try {
    return read_regular_file(file, max_bytes);
  } catch (const UnreadableFile&) {
    return "";
  }
}

/// GPU that a kernel is for.
struct Target {
  std::string backend;
  int architecture = 0;
};

// {"backend": "cuda", "arch": 89} since Triton 3, ["cuda", 89] before.
Target target_of(const Json& json) {
  Target target;
  const auto found = json.find("target");
  if (found == json.end()) return target;
  if (found->is_object()) {
    target.backend = found->contains("backend") && found->at("backend").is_string()
                         ? found->at("backend").get<std::string>()
                         : "";
    target.architecture = number(*found, "arch");
  } else if (found->is_array() && found->size() >= 2 && found->at(0).is_string() &&
             found->at(1).is_number_integer()) {
    target.backend = found->at(0).get<std::string>();
    target.architecture = found->at(1).get<int>();
  }
  return target;
}

fs::path beside(const fs::path& json_file, const char* extension) {
  fs::path file = json_file;
  file.replace_extension(extension);
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? file : fs::path();
}

// `.file	1 "/home/user/add.py"`, or with the folder in a text of its own before the name.
std::string source_in(const fs::path& ptx) {
  if (ptx.empty()) return "";
  const std::string text = CutFile(ptx).read(0, max_ptx_bytes);
  const std::size_t at = text.find("\n\t.file\t1 \"");
  if (at == std::string::npos) return "";
  const std::size_t begin = text.find('"', at) + 1;
  const std::size_t end = text.find_first_of("\"\n", begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

/// Python files that entries name, each read once. One that has gone, as where a cache was copied from another machine, is
/// looked for by its name in the folder.
class PythonFiles {
 public:
  explicit PythonFiles(const fs::path& folder) : folder_(folder) {}

  // "" where there is none.
  const std::string& text(const std::string& path) {
    const auto [at, is_new] = texts_.try_emplace(path);
    if (is_new && !path.empty()) at->second = read(path);
    return at->second;
  }

 private:
  std::string read(const fs::path& path) {
    try {
      return read_regular_file(path, max_python_bytes);
    } catch (const UnreadableFile&) {
      if (!in_folder_) {
        bool ignored = true;
        in_folder_ = files_below(folder_, {".py"}, ignored, {});
      }
    }
    const auto found = std::ranges::find(*in_folder_, path.filename(), &fs::path::filename);
    return found == in_folder_->end() ? "" : read_or_nothing(*found, max_python_bytes);
  }

  const fs::path& folder_;
  std::map<std::string, std::string> texts_;
  std::optional<std::vector<fs::path>> in_folder_;
};

// Reads the IR beside the .json file, before Triton optimises it where that is kept: equal constants become one later.
void take_ir(const fs::path& json_file, PythonFiles& python_files, TritonEntry& entry) {
  fs::path file = beside(json_file, ".source");
  if (file.empty()) file = beside(json_file, ".ttir");
  if (file.empty()) return;
  const std::string ir = read_or_nothing(file, max_ir_bytes);
  TritonFunction function = triton_function(ir, python_files.text(triton_source(ir)), entry.name);
  entry.parameters = std::move(function.parameters);
  entry.compiled_in = std::move(function.compiled_in);
  entry.constants = std::move(function.constants);
}

// Nothing where the file is not of a kernel: caches have others, such as "__grp__add_kernel.json".
std::optional<TritonEntry> entry_of(const fs::path& file, PythonFiles& python_files,
                                    std::vector<std::string>& notes) {
  const Json json = read_json_file(file, max_json_bytes);
  if (!json.is_object() || !json.contains("num_warps")) return std::nullopt;
  const Target target = target_of(json);
  TritonEntry entry;
  const auto name = json.find("name");
  entry.name = name != json.end() && name->is_string() ? name->get<std::string>() : file.stem().string();
  if (!target.backend.empty() && target.backend != "cuda") {
    notes.push_back(
        fmt::format("{} is left out: it is for {}, not for an NVIDIA GPU", file.string(), target.backend));
    return std::nullopt;
  }
  entry.num_warps = number(json, "num_warps");
  entry.num_stages = number(json, "num_stages");
  entry.shared = shared_of(json);
  if (target.architecture > 0) entry.architecture = fmt::format("sm_{}", target.architecture);
  entry.cubin = beside(file, ".cubin");
  entry.ptx = beside(file, ".ptx");
  entry.source = source_in(entry.ptx);
  take_ir(file, python_files, entry);
  take_options(json, entry);
  if (entry.cubin.empty() && entry.ptx.empty()) {
    notes.push_back(fmt::format("{} is left out: its .cubin and .ptx are missing", file.string()));
    return std::nullopt;
  }
  return entry;
}

fs::file_time_type time_of(const TritonEntry& entry) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(entry.cubin.empty() ? entry.ptx : entry.cubin, error);
  return error ? fs::file_time_type::min() : time;
}

}  // namespace

std::vector<fs::path> files_below(const fs::path& folder, const std::vector<std::string>& extensions,
                                  bool& is_complete, const std::function<bool()>& cancelled) {
  std::vector<fs::path> files;
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (cancelled && cancelled()) throw SearchCancelled();
    if (++seen > max_folder_files) {
      is_complete = false;
      break;
    }
    std::error_code ignored;
    if (entry.depth() >= max_folder_depth && entry->is_directory(ignored)) {
      entry.disable_recursion_pending();
      is_complete = false;
    }
    if (!entry->is_regular_file(ignored) || entry->is_symlink(ignored)) continue;
    const std::string extension = entry->path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end())
      files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<TritonEntry> read_triton_entries(const fs::path& folder, const std::vector<fs::path>& json_files,
                                             std::vector<std::string>& notes) {
  PythonFiles python_files(folder);
  std::vector<std::pair<fs::file_time_type, TritonEntry>> dated;
  for (const fs::path& file : json_files) {
    try {
      std::optional<TritonEntry> entry = entry_of(file, python_files, notes);
      if (entry) dated.emplace_back(time_of(*entry), std::move(*entry));
    } catch (const std::exception& error) {
      notes.push_back(fmt::format("{} is left out: {}", file.string(), reason_without_file(error)));
    }
  }
  std::stable_sort(dated.begin(), dated.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<TritonEntry> entries;
  entries.reserve(dated.size());
  for (auto& [time, entry] : dated) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace tilescope
