#include "profiler/gpu/baselines/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* toolkit_folder = "/usr/local/cuda/lib64";

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

/// Sorts python3.13 before python3.9: the longer number is greater.
bool is_newer(const fs::path& left, const fs::path& right) {
  const std::string a = left.filename().string(), b = right.filename().string();
  return std::pair(a.size(), a) > std::pair(b.size(), b);
}

/// The folders below prefix/lib/python3* into which packages are installed, newest Python first.
void append_packages(std::vector<fs::path>& list, const fs::path& prefix) {
  std::vector<fs::path> pythons;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prefix / "lib", error)) {
    if (entry.path().filename().string().starts_with("python3")) pythons.push_back(entry.path());
  }
  std::sort(pythons.begin(), pythons.end(), is_newer);
  for (const fs::path& python : pythons) {
    for (const char* packages : {"site-packages", "dist-packages"}) {  // "dist" is Debian's name for it
      const fs::path folder = python / packages;
      if (fs::is_directory(folder, error) && std::find(list.begin(), list.end(), folder) == list.end())
        list.push_back(folder);
    }
  }
}

/// The file that the loader opened for a name.
fs::path path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  const bool known = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
                     map->l_name[0] != '\0';
  return known ? map->l_name : otherwise;
}

std::optional<OpenedLibrary> try_open(const std::string& file, std::string& reason) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* text = dlerror();
    reason = text == nullptr ? file + " does not open" : text;
    return std::nullopt;
  }
  return OpenedLibrary{handle, path_of(handle, file)};
}

/// Opens the library from one of the folders. If a file exists but does not open, the reason is appended to `reasons`.
std::optional<OpenedLibrary> try_folders(const std::vector<fs::path>& folders, const std::string& file,
                                         std::string& reasons) {
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (!fs::exists(folder / file, error)) continue;
    std::string reason;
    if (auto library = try_open((folder / file).string(), reason)) return library;
    reasons += "; " + reason;
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

std::string paths_text(const std::vector<fs::path>& paths) {
  std::vector<std::string> words(paths.begin(), paths.end());
  return joined(words, " and ");
}

OpenedLibrary open_from_user(const LibrarySearch& search, const fs::path& named) {
  std::vector<fs::path> folders;
  folders.reserve(search.user_folders.size());
  for (const std::string& below : search.user_folders)
    folders.push_back(below.empty() ? named : named / below);
  std::string reasons;
  for (const std::string& file : search.files) {
    if (auto library = try_folders(folders, file, reasons)) return *library;
  }
  throw LibraryUnavailable(search.name + " (" + joined(search.files, " or ") + ") could not be opened in " +
                           paths_text(folders) + ", which " + search.variable + " names" + reasons +
                           ". Set " + search.variable +
                           " to the folder that holds it, or unset it to look where it is usually "
                           "installed");
}

std::string not_found(const LibrarySearch& search, const std::vector<fs::path>& packages,
                      const std::string& reasons) {
  std::string text = search.name + " (" + joined(search.files, " or ") +
                     ") was not found on the system's library path, in " + toolkit_folder + ", or in " +
                     joined(search.package_folders, " or ") + " of a Python's packages (";
  text += packages.empty() ? "there is no Python with packages)" : paths_text(packages) + ")";
  return text + reasons + ". Install it with `" + search.install + "`, or set " + search.variable +
         " to the folder that holds it";
}

}  // namespace

std::vector<fs::path> python_package_folders() {
  std::vector<fs::path> list;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = variable(name); !prefix.empty()) append_packages(list, prefix);
  }
  if (const fs::path home = home_folder(); !home.empty()) append_packages(list, home / ".local");
  for (const char* prefix : {"/usr/local", "/usr", "/opt/conda"}) append_packages(list, prefix);
  return list;
}

OpenedLibrary open_library(const LibrarySearch& search) {
  if (const std::string named = variable(search.variable); !named.empty())
    return open_from_user(search, named);
  const std::vector<fs::path> packages = python_package_folders();
  std::vector<fs::path> folders{toolkit_folder};
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty())
    folders.push_back(fs::path(conda) / "lib");
  for (const fs::path& package : packages) {
    for (const std::string& below : search.package_folders) folders.push_back(package / below);
  }
  std::string reasons;
  for (const std::string& file : search.files) {
    std::string reason;
    if (auto library = try_open(file, reason)) return *library;
    // A name that the loader does not find is normal; a library whose own dependencies are missing is not.
    if (!reason.starts_with(file + ": cannot open shared object file")) reasons += "; " + reason;
    if (auto library = try_folders(folders, file, reasons)) return *library;
  }
  throw LibraryUnavailable(not_found(search, packages, reasons));
}

}  // namespace tilescope
