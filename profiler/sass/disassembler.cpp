#include "profiler/sass/disassembler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "profiler/sass/child_program.hpp"

namespace tilescope::sass {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds version_limit{10'000};

std::vector<fs::path> candidates(const NvdisasmSearch& search) {
  std::vector<fs::path> programs;
  if (!search.toolkit.empty()) programs.push_back(search.toolkit / "bin" / "nvdisasm");
  programs.push_back(search.dependencies / "nvdisasm" / "nvdisasm");
  for (std::size_t begin = 0; begin < search.path.size();) {
    const std::size_t end = std::min(search.path.find(':', begin), search.path.size());
    if (end > begin) programs.push_back(fs::path(search.path.substr(begin, end - begin)) / "nvdisasm");
    begin = end + 1;
  }
  return programs;
}

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// "... release 13.5, V13.5.37": the number behind the V. "" where there is none.
std::string version_in(const std::string& text) {
  const std::size_t mark = text.find(", V");
  if (mark == std::string::npos) return "";
  const std::size_t begin = mark + 3;
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

/// The version of a program, or why it cannot be used.
std::string version_of(const fs::path& program, std::string& complaint) {
  try {
    const ProgramResult result = run_program({{program.string(), "--version"}, {}, version_limit});
    std::string version = version_in(result.output);
    if (version.empty()) complaint = program.string() + " does not report a version of nvdisasm";
    return version;
  } catch (const ProgramFailed& failed) {
    complaint = failed.what();
    return "";
  }
}

}  // namespace

Disassembler Disassembler::find(const NvdisasmSearch& search) {
  std::vector<std::string> complaints;
  for (const fs::path& program : candidates(search)) {
    if (!is_program(program)) continue;
    std::string complaint;
    std::string version = version_of(program, complaint);
    if (!version.empty()) return {program, std::move(version)};
    complaints.push_back(std::move(complaint));
  }
  std::string what = "nvdisasm, which prints machine code, was not found";
  if (!complaints.empty()) what += fmt::format(" ({})", fmt::join(complaints, ", "));
  throw NvdisasmUnavailable(what +
                            ". Run `./tilescope setup` with a network to download it, or install a CUDA "
                            "Toolkit and set TILESCOPE_CUDA to its folder.");
}

std::string Disassembler::print(const std::vector<char>& cubin) const {
  // -c: code alone. -gi: source lines with the places of inlined calls. -gp: lines of the PTX.
  ProgramCall call{{program_.string(), "-c", "-gi", "-gp", "/dev/stdin"}, {cubin.data(), cubin.size()}};
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
