#include "profiler/execution/sass/disassembler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/trusted_path.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/server_text.hpp"
#include "profiler/process/child_program.hpp"
#include "profiler/process/cuda_tool.hpp"

namespace tilescope::sass {
namespace {

namespace fs = std::filesystem;

fs::path downloaded(const NvdisasmSearch& search) {
  return search.dependencies / "nvdisasm" / "nvdisasm";
}

std::vector<fs::path> candidates(const NvdisasmSearch& search) {
  std::vector<fs::path> programs;
  if (!search.toolkit.empty()) programs.push_back(search.toolkit / "bin" / "nvdisasm");
  if (why_refused(downloaded(search), search.dependencies).empty()) programs.push_back(downloaded(search));
  const std::vector<fs::path> in_path = places_in_path(search.path, "nvdisasm");
  programs.insert(programs.end(), in_path.begin(), in_path.end());
  return programs;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// They stay until the process ends: a server takes longer to start than most kernels to disassemble. Not destroyed at exit,
// where a forked process would end its parent's.
std::shared_ptr<DisassemblyServers> servers_of(const fs::path& program, const std::string& version,
                                               std::chrono::milliseconds limit) {
  using Key = std::tuple<fs::path, std::string, std::chrono::milliseconds>;
  static std::mutex mutex;
  static auto& all = *new std::map<Key, std::shared_ptr<DisassemblyServers>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<DisassemblyServers>& servers = all[{program, version, limit}];
  if (!servers) servers = std::make_shared<DisassemblyServers>(program, limit);
  return servers;
}

}  // namespace

Disassembler::Disassembler(fs::path program, std::string version, const NvdisasmLimits& limits)
    : program_(std::move(program)),
      version_(std::move(version)),
      limits_(limits),
      servers_(servers_of(program_, version_, limits.server)) {}

Disassembler Disassembler::find(const NvdisasmSearch& search, const NvdisasmLimits& limits) {
  std::vector<std::string> complaints;
  if (std::optional<CudaTool> tool = find_cuda_tool(candidates(search), complaints))
    return {tool->program, std::move(tool->version), limits};
  std::string what = "nvdisasm, which prints machine code, was not found";
  if (!complaints.empty()) what += fmt::format(" ({})", fmt::join(complaints, ", "));
  if (const std::string why = why_refused(downloaded(search), search.dependencies); !why.empty())
    what += "; " + why;
  throw NvdisasmUnavailable(what +
                            ". Run `./tilescope setup` with a network to download it, or install a CUDA "
                            "Toolkit and set TILESCOPE_CUDA to its folder.");
}

std::string Disassembler::print(const std::vector<char>& cubin) const {
  if (std::optional<std::string> text = print_served(cubin)) return std::move(*text);
  return print_alone(cubin);
}

std::optional<std::string> Disassembler::print_served(const std::vector<char>& file) const {
  try {
    const Cubin cubin = read_cubin(file);
    const CubinFunction* const function = served_function(cubin);
    if (function == nullptr || function->words.empty()) return std::nullopt;
    const auto code = std::as_bytes(std::span(function->words));
    const auto printed =
        servers_->print(cubin.architecture, {reinterpret_cast<const char*>(code.data()), code.size()});
    if (!printed) return std::nullopt;
    return text_of_served(file, cubin, *function, *printed);
  } catch (const CubinError&) {
    return std::nullopt;  // nvdisasm says what is wrong with the file
  }
}

std::string Disassembler::print_alone(const std::vector<char>& cubin) const {
  // -c: code alone. -gi: source lines with the places of inlined calls. -gp: lines of the PTX.
  const ProgramCall call{
      {program_.string(), "-c", "-gi", "-gp", "/dev/stdin"}, {cubin.data(), cubin.size()}, limits_.run};
  try {
    ProgramResult result = run_program(call);
    if (!result.succeeded()) {
      const std::string words = first_line(result.errors);
      throw DisassemblyError(words.empty() ? fmt::format("nvdisasm {} ended with exit code {} and signal {}",
                                                         version_, result.exit_code, result.signal)
                                           : words);
    }
    return std::move(result.output);
  } catch (const ProgramFailed& failed) {
    throw DisassemblyError(failed.what());
  }
}

}  // namespace tilescope::sass
