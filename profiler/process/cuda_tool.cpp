#include "profiler/process/cuda_tool.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds version_limit{10'000};

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
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
    if (version.empty())
      complaint = program.string() + " does not report a version of " + program.filename().string();
    return version;
  } catch (const ProgramFailed& failed) {
    complaint = failed.what();
    return "";
  }
}

}  // namespace

std::vector<fs::path> places_in_path(const std::string& path, const std::string& name) {
  std::vector<fs::path> places;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) places.push_back(fs::path(path.substr(begin, end - begin)) / name);
    begin = end + 1;
  }
  return places;
}

std::optional<CudaTool> find_cuda_tool(const std::vector<fs::path>& places,
                                       std::vector<std::string>& complaints) {
  for (const fs::path& program : places) {
    if (!is_program(program)) continue;
    std::string complaint;
    std::string version = version_of(program, complaint);
    if (!version.empty()) return CudaTool{program, std::move(version)};
    complaints.push_back(std::move(complaint));
  }
  return std::nullopt;
}

}  // namespace tilescope
