#include "profiler/kernels/containers/find_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/regular_file.hpp"
#include "profiler/kernels/containers/code_collector.hpp"
#include "profiler/kernels/containers/compile_cache.hpp"
#include "profiler/kernels/containers/cut_file.hpp"
#include "profiler/kernels/containers/file_kind.hpp"
#include "profiler/kernels/containers/packed_members.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_link =
    "link it (`nvcc -cubin -dlink -arch=sm_89 FILES -o linked.cubin`) and open the result, or compile it "
    "without -rdc=true and -dc";

bool is_shared_library(const std::string& name) {
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

// Programs have no extension.
bool may_hold_code(const std::string& name) {
  constexpr std::array<std::string_view, 4> extensions = {".cubin", ".ptx", ".fatbin", ".o"};
  const auto is_end = [&](std::string_view extension) { return name.ends_with(extension); };
  const bool has_extension = name.find('.', name.rfind('/') + 1) != std::string::npos;
  return !has_extension || is_shared_library(name) ||
         std::any_of(extensions.begin(), extensions.end(), is_end);
}

// Names of the symbol table and of the table of long names in a static library.
bool is_table(const std::string& name) {
  return name.empty() || name.front() == '/' || name.starts_with("__.SYMDEF");
}

std::string kind_text(FileKind kind, const fs::path& file) {
  const std::string name = file.filename().string();
  if (kind == FileKind::zip) return name.ends_with(".whl") ? "a Python wheel" : "a zip file";
  if (kind == FileKind::host_program)
    return is_shared_library(name) ? "a shared library with device code" : "a program with device code";
  if (kind == FileKind::host_object) return "an object file with device code";
  return name_of(kind);
}

// Sentence for a file of which nothing can be executed.
std::string why_nothing(FileKind kind, const CodeCollector& collected) {
  if (collected.has_relocatable())
    return fmt::format(
        "it is {} whose device code is not linked (nvcc -dc or -rdc=true), so that calls have "
        "no addresses yet: {}",
        kind == FileKind::relocatable_cubin ? "a cubin" : name_of(kind), how_to_link);
  if (collected.has_code_without_kernel())
    return fmt::format("it is {} with device code, but without a kernel (__global__)", name_of(kind));
  switch (kind) {
    case FileKind::host_program:
    case FileKind::host_object:
    case FileKind::static_library:
      return fmt::format(
          "it is {} without device code of CUDA. Where a library that it loads has the "
          "kernels, open that one; where they are compiled at run time, as Triton's are, open "
          "the folder of the cache",
          name_of(kind));
    case FileKind::zip:
      return "it is a zip file without device code: no .so, .o, .cubin, .ptx or .fatbin file in it has a "
             "kernel";
    case FileKind::fat_binary:
      return "it is a fat binary with neither machine code nor PTX: it may hold code for a later link alone "
             "(-dlto), or be damaged";
    case FileKind::cuda:
      return "it is CUDA C++, which has to be compiled before it holds machine code";
    default:
      return fmt::format(
          "it is {}: open a cubin, PTX, a .cu file, a program, a library, a wheel, or a folder "
          "of Triton's cache",
          name_of(kind));
  }
}

void add_members(const fs::path& file, bool is_library, CodeCollector& collected,
                 const std::function<bool()>& cancelled) {
  const std::string archive = file.filename().string();
  const auto wanted = [&](const std::string& name) {
    return is_library ? !is_table(name) : may_hold_code(name);
  };
  const auto take = [&](const std::string& name, const fs::path& member) {
    const std::string origin = archive + ": " + name;
    try {
      collected.add_file(member, origin);
    } catch (const CodeNotFound& reason) {
      collected.add_note(fmt::format("{} is left out: {}", origin, reason.what()));
    }
  };
  for_each_member(file, wanted, take, cancelled);
}

FoundIn end(std::string kind, CodeCollector& collected) {
  if (collected.has_relocatable())
    collected.add_note(fmt::format("device code that is not linked is left out; {}", how_to_link));
  return {std::move(kind), collected.take_codes(), collected.take_notes()};
}

std::string text_of(const TritonEntry& entry) {
  std::string text = fmt::format("{} (num_warps {}", entry.name, entry.num_warps);
  if (entry.num_stages > 0) text += fmt::format(", num_stages {}", entry.num_stages);
  for (const auto& [name, constant] : entry.constants)
    if (constant.line > 0) text += fmt::format(", {} {}", name, constant.value);
  if (entry.shared) text += fmt::format(", {} B of shared memory", *entry.shared);
  return text + ")";
}

void add_or_note(const fs::path& file, const std::string& origin, CodeCollector& collected) {
  try {
    collected.add_file(file, origin);
  } catch (const CodeNotFound& reason) {
    collected.add_note(fmt::format("{} is left out: {}", origin, reason.what()));
  } catch (const UnreadableFile& reason) {
    collected.add_note(fmt::format("{} is left out: {}", origin, reason.reason()));
  }
}

// The code of Triton's entries first, with what their .json files say, then all other files of the folder.
void add_folder(const fs::path& folder, const std::vector<fs::path>& files,
                const std::vector<TritonEntry>& entries, CodeCollector& collected) {
  std::set<fs::path> taken;
  const auto name_of_file = [&](const fs::path& file) { return file.lexically_relative(folder).string(); };
  for (const TritonEntry& entry : entries) {
    for (const fs::path& file : {entry.cubin, entry.ptx}) {
      if (file.empty() || !taken.insert(file).second) continue;
      collected.begin_entry(static_cast<std::size_t>(&entry - entries.data()));
      add_or_note(file, text_of(entry) + ": " + name_of_file(file), collected);
    }
  }
  collected.end_entries();
  for (const fs::path& file : files)
    if (!taken.contains(file)) add_or_note(file, name_of_file(file), collected);
}

// Sources with kernels in a folder, by their names: what may be opened in its place.
std::vector<std::string> kernel_sources(const fs::path& folder, const std::function<bool()>& cancelled) {
  constexpr std::size_t most_named = 5;
  bool ignored = true;
  std::vector<std::string> names;
  for (const fs::path& file : files_below(folder, {".cu", ".cuh", ".py"}, ignored, cancelled)) {
    if (names.size() == most_named) break;
    try {
      if (kind_of_file(file) == FileKind::cuda) names.push_back(file.lexically_relative(folder).string());
    } catch (const UnreadableFile&) {
      continue;
    }
  }
  return names;
}

FoundIn find_in_folder(const fs::path& folder, const ContainerTools& tools,
                       const std::function<bool()>& cancelled) {
  bool is_complete = true;
  CodeCollector collected(tools, cancelled);
  std::vector<std::string> notes;
  std::vector<TritonEntry> entries =
      read_triton_entries(folder, files_below(folder, {".json"}, is_complete, cancelled), notes);
  for (std::string& note : notes) collected.add_note(std::move(note));
  const std::vector<fs::path> files =
      files_below(folder, {".cubin", ".ptx", ".fatbin"}, is_complete, cancelled);
  if (!is_complete)
    collected.add_note(
        fmt::format("the folder is looked through {} levels deep and up to {} files: open a "
                    "folder further down for the rest",
                    max_folder_depth, max_folder_files));
  add_folder(folder, files, entries, collected);
  if (collected.is_empty()) {
    if (collected.has_relocatable())
      throw CodeNotFound(fmt::format("it is a folder whose device code is not linked: {}", how_to_link));
    if (const std::vector<std::string> sources = kernel_sources(folder, cancelled); !sources.empty())
      throw CodeNotFound(fmt::format(
          "it is a folder without compiled kernels, and with sources that have some: open one of them, {}",
          fmt::join(sources, ", ")));
    throw CodeNotFound(
        "it is a folder without a .cubin, .ptx or .fatbin file that has a kernel. Triton's cache is "
        "~/.triton/cache or TRITON_CACHE_DIR, and TorchInductor's is /tmp/torchinductor_USER or "
        "TORCHINDUCTOR_CACHE_DIR");
  }
  std::error_code ignored;
  const char* kind = entries.empty()                                ? "a folder with device code"
                     : fs::is_directory(folder / "triton", ignored) ? "a folder of TorchInductor's cache"
                                                                    : "a folder of Triton's cache";
  FoundIn found = end(kind, collected);
  found.triton = std::move(entries);
  return found;
}

}  // namespace

FoundIn find_code(const fs::path& file, const ContainerTools& tools, const std::function<bool()>& cancelled) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return find_in_folder(file, tools, cancelled);
  const FileKind kind = kind_of_file(file);
  CodeCollector collected(tools, cancelled);
  if (kind == FileKind::zip || kind == FileKind::static_library) {
    add_members(file, kind == FileKind::static_library, collected, cancelled);
  } else {
    collected.add_file(file, file.filename().string());
  }
  if (collected.is_empty()) {
    std::string why = why_nothing(kind, collected);
    for (const std::string& note : collected.take_notes()) why += "; " + note;
    throw CodeNotFound(why);
  }
  return end(kind_text(kind, file), collected);
}

}  // namespace tilescope
