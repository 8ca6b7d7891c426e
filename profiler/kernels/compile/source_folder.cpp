#include "profiler/kernels/compile/source_folder.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <system_error>

#include "profiler/kernels/compile/compiler_output.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// How many folders a name such as "../../common.cuh" leads up.
int levels_up(const fs::path& name) {
  int levels = 0;
  for (const fs::path& part : name.lexically_normal()) {
    if (part == "..") ++levels;
  }
  return levels;
}

// A session of another machine must not write elsewhere than in the folder.
void check_name(const std::string& name) {
  if (name.empty() || fs::path(name).is_absolute() || name.find('\0') != std::string::npos) {
    throw CompileFailed(
        "the source includes '" + name +
            "': include it by a path that is relative to the kernel's file, for nvcc compiles a "
            "copy of it",
        "");
  }
}

// "sub/../x.cuh" is found only where there is a folder sub.
void write(const fs::path& root, const fs::path& name, const std::string& text) {
  fs::path folder = root;
  for (const fs::path& part : name.parent_path()) {
    folder /= part;
    fs::create_directories(folder);
  }
  const fs::path file = root / name;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush())
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string() + " cannot be written");
}

void remove_all(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

}  // namespace

SourceFolder::SourceFolder(const SourceFile& source) : sources_(folder_.path() / "sources") {
  if (fs::path(source.name).filename() != source.name) {
    throw CompileFailed("the source is called '" + source.name + "': a file's name without folders is needed",
                        "");
  }
  check_name(source.name);
  int levels = 0;
  for (const auto& [name, text] : source.headers) {
    check_name(name);
    levels = std::max(levels, levels_up(name));
  }
  for (int level = 0; level < levels; ++level) sources_ /= "below";
  fs::create_directories(sources_);
  for (const auto& [name, text] : source.headers) write(sources_, name, text);
  write(sources_, source.name, source.text);
}

std::string SourceFolder::name_in_source(const std::string& path) const {
  const std::string prefix = sources_.string() + "/";
  return path.starts_with(prefix) ? fs::path(path.substr(prefix.size())).lexically_normal().string() : path;
}

std::string SourceFolder::without_folders(std::string text) const {
  remove_all(text, sources_.string() + "/");
  remove_all(text, scratch().string() + "/");
  // Paths of headers that were found from this folder: "./flat.cuh(1): error", "In file included from ./flat.cuh:1".
  static const std::regex this_folder(R"re((^|\n|from )\./)re");
  return std::regex_replace(text, this_folder, "$1");
}

}  // namespace tilescope
