#include "profiler/kernels/compile/source_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/kernels/compile/compiler_output.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/kernels/compile/include_names.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// A name that a message can hold.
std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 60;
  return name.size() <= longest ? name : name.substr(0, longest) + "...";
}

/// Whether a file is a header by its name. A kernel from elsewhere may name other files, such as a key or a list of
/// passwords, to have them passed on with it.
bool is_header_name(const fs::path& file) {
  static constexpr std::array<std::string_view, 14> endings{".cuh", ".cu",  ".h",   ".hh",  ".hpp",
                                                            ".hxx", ".inl", ".inc", ".ipp", ".tpp",
                                                            ".txx", ".tcc", ".cc",  ".cpp"};
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(endings, ending) != endings.end();
}

/// Both without symbolic links.
bool is_below(const fs::path& file, const fs::path& folder) {
  const auto [in_folder, in_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return in_folder == folder.end() && in_file != file.end();
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? fs::path() : real;
}

bool has_parent_step(const std::string& name) {
  const fs::path path = name;
  return std::ranges::find(path, fs::path("..")) != path.end();
}

}  // namespace

SourceReader::SourceReader(fs::path cu_file, fs::path include_root)
    : cu_file_(std::move(cu_file)), include_root_(std::move(include_root)) {}

KernelSource SourceReader::read() {
  try {
    source_.file.text = read_regular_file(cu_file_, max_file_bytes);
  } catch (const UnreadableFile& error) {
    throw std::runtime_error("the kernel's file " + cu_file_.string() + " cannot be read: " + error.reason());
  }
  std::error_code error;
  own_folder_ = without_links(fs::absolute(cu_file_, error).parent_path());
  common_folder_ = without_links(include_root_);
  source_.file.name = cu_file_.filename().string();
  bytes_ = source_.file.text.size();
  push_includes(source_.file.text, cu_file_.parent_path());
  while (!pending_.empty()) {
    Pending& last = pending_.back();
    if (last.names.empty()) {
      pending_.pop_back();
      continue;
    }
    const std::string name = std::move(last.names.front());
    last.names.pop_front();
    read_include(name, fs::path(last.folder));
  }
  read_sidecar();
  return std::move(source_);
}

void SourceReader::push_includes(const std::string& text, fs::path folder) {
  IncludeNames names = find_include_names(text);
  for (const std::string& name : names.of_toolkits) refuse_names(name, true);
  for (const std::string& name : names.own) refuse_names(name, false);
  // A macro's text need not be a file's name.
  std::erase_if(names.by_macro, [](const std::string& name) { return name.size() > max_include_name; });
  Pending pending{{names.own.begin(), names.own.end()}, std::move(folder)};
  pending.names.insert(pending.names.end(), names.by_macro.begin(), names.by_macro.end());
  pending_.push_back(std::move(pending));
}

void SourceReader::read_include(const std::string& name, const fs::path& folder) {
  if (source_.file.headers.contains(name) || source_.private_headers.contains(name)) return;
  if (!read_header(name, folder / name)) read_header(name, include_root_ / name);
}

void SourceReader::refuse_names(const std::string& name, bool is_toolkits) const {
  if (name.size() > max_include_name)
    refuse(name, "the name is longer than " + std::to_string(max_include_name) + " letters");
  if (is_toolkits && has_parent_step(name))
    refuse(name, "it leads out of the toolkit's folders: write it between quotation marks");
}

bool SourceReader::read_header(const std::string& name, const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  if (S_ISREG(status.st_mode) && ::access(file.c_str(), R_OK) != 0) return false;
  try {
    std::string text = read_regular_file(file, max_file_bytes);
    push_includes(text, file.parent_path());
    add(name, file, std::move(text), is_header_name(file) && is_header_name(without_links(file)));
    return true;
  } catch (const UnreadableFile& error) {
    if (error.is_missing()) return false;
    refuse(name, error.reason());
  }
}

// The .json file beside a kernel describes its launch, so another file makes another point.
void SourceReader::read_sidecar() {
  const fs::path sidecar = fs::path(cu_file_).replace_extension(".json");
  struct stat status {};
  if (sidecar == cu_file_ || ::stat(sidecar.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
  try {
    add(sidecar.filename().string(), sidecar, read_regular_file(sidecar, max_file_bytes), true);
  } catch (const UnreadableFile& error) {
    if (!error.is_missing()) throw std::runtime_error(error.what());
  }
}

void SourceReader::add(const std::string& name, const fs::path& file, std::string text, bool may_be_carried) {
  bytes_ += text.size();
  if (bytes_ > max_all_bytes) refuse(name, "all files together have more than 32 MiB");
  if (source_.file.headers.size() + source_.private_headers.size() >= max_headers)
    refuse(name, "the source includes more than " + std::to_string(max_headers) + " files");
  if (may_be_carried && is_below_our_folders(file)) {
    source_.file.headers[name] = std::move(text);
  } else {
    source_.file.hashed_headers[name] = sha256(text);
    source_.private_headers[name] = std::move(text);
  }
}

bool SourceReader::is_below_our_folders(const fs::path& file) const {
  const fs::path real = without_links(file);
  const auto is_in = [&](const fs::path& folder) { return !folder.empty() && is_below(real, folder); };
  return is_in(own_folder_) || is_in(common_folder_);
}

void SourceReader::refuse(const std::string& name, const std::string& why) const {
  throw CompileFailed(cu_file_.filename().string() + " includes \"" + shortened(name) + "\": " + why, "");
}

}  // namespace tilescope
