#include "profiler/kernels/compile/nvcc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <system_error>

#include "base/trusted_path.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/kernels/compile/ptxas_log.hpp"
#include "profiler/kernels/compile/source_folder.hpp"
#include "profiler/process/child_program.hpp"
#include "profiler/process/cuda_tool.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path usual_toolkit = "/usr/local/cuda";
// A request that takes too long is cancelled long before.
constexpr std::chrono::minutes time_limit{5};
// [B] Memory of nvcc and the compilers that it starts: the one for PTX takes the most.
constexpr std::uint64_t memory_limit = std::uint64_t{4} << 30;

std::vector<fs::path> candidates(const NvccSearch& search) {
  std::vector<fs::path> places;
  if (!search.toolkit.empty()) places.push_back(search.toolkit / "bin" / "nvcc");
  const std::vector<fs::path> in_path = places_in_path(search.path, "nvcc");
  places.insert(places.end(), in_path.begin(), in_path.end());
  if (search.toolkit.empty()) places.push_back(usual_toolkit / "bin" / "nvcc");
  const fs::path downloaded = search.dependencies / "nvcc" / "bin" / "nvcc";
  if (!search.dependencies.empty() && why_refused(downloaded, search.dependencies).empty())
    places.push_back(downloaded);
  return places;
}

std::string nothing_found(const NvccSearch& search, const std::vector<std::string>& complaints) {
  const fs::path& toolkit = search.toolkit.empty() ? usual_toolkit : search.toolkit;
  std::string text = "nvcc, which this point is to be compiled with, was not found in " +
                     (toolkit / "bin").string() + (search.toolkit.empty() ? "" : " (TILESCOPE_CUDA)") +
                     " or on the PATH";
  if (!complaints.empty()) text += fmt::format(" ({})", fmt::join(complaints, ", "));
  return text +
         ". Install a CUDA Toolkit 12 or 13 and set TILESCOPE_CUDA to its folder, or run `./tilescope setup "
         "--nvcc` with a network, or compile with NVRTC (--compiler nvrtc)";
}

int major_of(const std::string& version) {
  return std::atoi(version.c_str());
}

void check_driver(const NvccSearch& search, const CudaTool& nvcc) {
  const int major = major_of(nvcc.version);
  if (!search.driver_cuda || major <= search.driver_cuda->first) return;
  throw NvccUnavailable(
      fmt::format("this machine's NVIDIA driver supports CUDA {}.{}, but nvcc is {} ({}), whose machine code "
                  "needs driver {} or "
                  "newer. Set TILESCOPE_CUDA to a CUDA Toolkit {}, or compile with NVRTC (--compiler nvrtc)",
                  search.driver_cuda->first, search.driver_cuda->second, nvcc.version, nvcc.program.string(),
                  minimum_driver_for_cuda(major), search.driver_cuda->first));
}

// nvcc runs its parts by a shell, with each argument in double quotes: a session from elsewhere must not run commands.
void check_for_shell(const std::string& argument) {
  const bool is_special = argument.find_first_of("$`\"\\\n\r") != std::string::npos;
  if (!is_special) return;
  throw CompileFailed(
      "nvcc would hand '" + argument +
          "' to a shell, in which $, `, \", \\ and line ends are special: rename it, or compile "
          "with NVRTC",
      "");
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush())
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string() + " cannot be written");
}

// The lines `.file 1 "/tmp/tilescope_x/sources/flash_scalar.cu"` with the names that `name_of` gives.
std::string with_own_names(const std::string& ptx,
                           const std::function<std::string(const std::string&)>& name_of) {
  static const std::regex file_line(R"re((\n[ \t]*\.file[ \t]+[0-9]+[ \t]+")([^"\n]*))re");
  std::string text;
  auto copied = ptx.begin();
  for (std::sregex_iterator match(ptx.begin(), ptx.end(), file_line), end; match != end; ++match) {
    text.append(copied, (*match)[2].first);
    text += name_of((*match)[2]);
    copied = (*match)[2].second;
  }
  return text.append(copied, ptx.end());
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
  return text;
}

// Name below the folder of a file that is there; other paths stay.
std::string name_in(const fs::path& folder, const std::string& path) {
  const fs::path name = fs::path(path).lexically_normal().lexically_relative(folder);
  return name.empty() || *name.begin() == ".." ? path : name.string();
}

bool is_virtual(const std::vector<std::string>& options) {
  const auto names_it = [](const std::string& option) {
    return option.starts_with("--gpu-architecture=compute_");
  };
  return std::any_of(options.begin(), options.end(), names_it);
}

// Message of nvcc about itself or the host compiler, not about the source: "nvcc fatal   : ...". "" for none.
std::string complaint_of_nvcc(std::string log) {
  static const std::regex fatal(R"re((^|\n)nvcc fatal\s*:)re"), lines("\n+"), spaces(" +:");
  if (!std::regex_search(log, fatal)) return "";
  log.erase(log.find_last_not_of("\n.") + 1);
  std::string text = std::regex_replace(std::regex_replace(log, lines, "; "), spaces, ":");
  if (text.find("host compiler") != std::string::npos)
    text += ". nvcc preprocesses with a host compiler: install g++, or compile with NVRTC (--compiler nvrtc)";
  return text;
}

}  // namespace

Nvcc Nvcc::find(const NvccSearch& search) {
  std::vector<std::string> complaints;
  std::optional<CudaTool> tool = find_cuda_tool(candidates(search), complaints);
  if (!tool) throw NvccUnavailable(nothing_found(search, complaints));
  check_driver(search, *tool);
  return {fs::absolute(tool->program), std::move(tool->version)};
}

std::string Nvcc::version() const {
  const std::size_t minor = full_version_.find('.');
  return full_version_.substr(0, full_version_.find('.', minor + 1));
}

std::vector<std::string> Nvcc::options_from_environment() {
  std::vector<std::string> options;
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') options.push_back(std::string(name) + "=" + value);
  }
  return options;
}

CompilerOutput Nvcc::compile(const SourceFile& source, const std::vector<std::string>& options,
                             const std::function<bool()>& cancelled) const {
  check_for_shell(source.name);
  for (const std::string& option : options) check_for_shell(option);
  const SourceFolder folder(source);
  const fs::path ptx = folder.scratch() / "kernel.ptx", cubin = folder.scratch() / "kernel.cubin";
  std::vector<std::string> arguments = options;
  CompilerOutput output;
  // The PTX first: the names of the files in it reach the machine code's line table.
  // Relative names, also in __FILE__. A name that starts with '-' would be read as an option.
  const std::string file = (source.name.starts_with('-') ? "./" : "") + source.name;
  arguments.insert(arguments.end(), {"-I.", "-x", "cu", "-ptx", "-o", ptx.string(), file});
  const auto shown = [&](std::string text) { return folder.without_folders(std::move(text)); };
  run(arguments, {folder.sources(), folder.scratch(), shown}, cancelled, output.log);
  output.ptx =
      with_own_names(read_file(ptx), [&](const std::string& path) { return folder.name_in_source(path); });
  write_file(ptx, output.ptx);
  arguments = options;
  arguments.insert(arguments.end(), {"-cubin", "-o", cubin.string(), ptx.string()});
  // Not where the sources are: ptxas would write the times of the files that it finds into the line table.
  run(arguments, {folder.scratch(), folder.scratch(), shown}, cancelled, output.log);
  const std::string code = read_file(cubin);
  output.cubin.assign(code.begin(), code.end());
  for (std::string* text : {&output.ptx, &output.log}) text->erase(text->find_last_not_of('\n') + 1);
  return output;
}

CompilerOutput Nvcc::compile_in_place(const fs::path& file, const std::vector<std::string>& options,
                                      const std::function<bool()>& cancelled) const {
  check_for_shell(file.string());
  for (const std::string& option : options) check_for_shell(option);
  const TemporaryFolder scratch;
  const fs::path ptx = scratch.path() / "kernel.ptx", cubin = scratch.path() / "kernel.cubin";
  const fs::path own = fs::canonical(file.parent_path());
  const auto shown = [&](std::string text) {
    return without(std::move(text), scratch.path().string() + "/");
  };
  const std::string name = file.filename().string();
  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(),
                   {"-x", "cu", "-ptx", "-o", ptx.string(), (name.starts_with('-') ? "./" : "") + name});
  CompilerOutput output;
  run(arguments, {own, scratch.path(), shown}, cancelled, output.log);
  output.ptx = with_own_names(read_file(ptx), [&](const std::string& path) { return name_in(own, path); });
  write_file(ptx, output.ptx);
  if (is_virtual(options)) return output;
  arguments = options;
  arguments.insert(arguments.end(), {"-cubin", "-o", cubin.string(), ptx.string()});
  run(arguments, {scratch.path(), scratch.path(), shown}, cancelled, output.log);
  const std::string code = read_file(cubin);
  output.cubin.assign(code.begin(), code.end());
  return output;
}

void Nvcc::run(const std::vector<std::string>& arguments, const Place& place,
               const std::function<bool()>& cancelled, std::string& log) const {
  ProgramCall call{{program_.string()}};
  call.command.insert(call.command.end(), arguments.begin(), arguments.end());
  call.time_limit = time_limit;
  call.memory_limit = memory_limit;
  call.folder = place.folder;
  call.environment = {{"TMPDIR", place.scratch.string()}};
  call.cancelled = cancelled;
  ProgramResult result;
  try {
    result = run_program(call);
  } catch (const ProgramCancelled&) {
    throw CompileCancelled();
  } catch (const ProgramFailed& failed) {
    throw NvccUnavailable(failed.what());
  }
  log += place.shown(result.output + result.errors);
  if (result.succeeded()) return;
  if (const std::string complaint = complaint_of_nvcc(log); !complaint.empty()) {
    throw NvccUnavailable(
        fmt::format("nvcc {} ({}) does not work here: {}", full_version_, program_.string(), complaint));
  }
  std::string sentence = first_error(log);
  if (sentence.empty()) {
    sentence = fmt::format("nvcc {} ended with exit code {} and signal {}", full_version_, result.exit_code,
                           result.signal);
  }
  throw CompileFailed(sentence, log);
}

}  // namespace tilescope
