#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/compile/cuda_file.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_errors = 3;
// std::regex takes stack for each letter of a line.
constexpr std::size_t max_line = 2000;

// "k.cu(3): error: ...", "k.cu:3:10: fatal error: ...", "ptxas error : ..."
bool is_error(const std::string& line) {
  static const std::regex error(R"re((^|[:\s])(catastrophic |fatal )?(error|fatal)\s*(#[0-9A-Z-]+)?\s*:)re");
  return std::regex_search(line, error);
}

// Name of the header in a line of NVRTC, of nvcc or of g++, which preprocesses for nvcc; "" for another error.
std::string missing_header(const std::string& line) {
  static const std::regex of_nvcc(R"re((?:could not|cannot) open source file "([^"]+)")re");
  static const std::regex of_gcc(R"re(fatal error: (\S+): No such file or directory)re");
  std::smatch match;
  return std::regex_search(line, match, of_nvcc) || std::regex_search(line, match, of_gcc) ? match[1].str()
                                                                                           : "";
}

// Names in capitals that the log says are undefined, each once: a build may define them on its command line.
std::vector<std::string> undefined_macros(const std::string& log) {
  static const std::regex undefined(R"re(identifier "([A-Z][A-Z0-9_]*)" is undefined)re");
  std::vector<std::string> names;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), max_line));
    std::smatch match;
    if (std::regex_search(line, match, undefined) && std::ranges::find(names, match[1].str()) == names.end())
      names.push_back(match[1].str());
  }
  return names;
}

std::string advice_on_macros(const std::string& log) {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> names = undefined_macros(log);
  if (names.empty()) return "";
  names.resize(std::min(names.size(), most_named));
  return fmt::format("\nIf the build of the file defines {}, give {}: -D {}=VALUE", fmt::join(names, ", "),
                     names.size() == 1 ? "it" : "them", fmt::join(names, "=VALUE -D "));
}

// Line `number`, from 1, without white space around it; "" where there is none.
std::string line_of(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view line = text.substr(0, number == 1 ? text.find('\n') : 0);
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(line.substr(first, std::min(line.find_last_not_of(" \t\r") + 1 - first, max_line)));
}

}  // namespace

std::string compile_errors(const std::string& log, HeaderAdvice advice) {
  std::istringstream lines(log);
  std::string errors;
  std::size_t count = 0;
  bool is_code = false;  // nvcc quotes the line of the source behind an error
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), max_line));
    const std::string header = missing_header(line);
    if (is_error(line)) {
      if (count++ == max_errors) break;
      errors += (count > 1 ? "\n" : "") + line;
      if (!header.empty() && advice == HeaderAdvice::given)
        errors += fmt::format("; give the folder in which {} lies: -I FOLDER", header);
      is_code = header.empty();
    } else if (is_code) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != std::string::npos)
        errors += (errors.ends_with(':') ? " `" : ": `") + line.substr(first) + "`";
      is_code = false;
    }
  }
  return errors + advice_on_macros(log);
}

std::string with_own_lines(const std::string& errors, const CudaSourceFile& file) {
  const std::string start = file.path.filename().string() + "(", quote = ": `";
  std::istringstream lines(errors);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(quote);
    const std::size_t number =
        line.starts_with(start) ? std::strtoull(line.c_str() + start.size(), nullptr, 10) : 0;
    const std::string own = line_of(file.contents, number);
    if (at != std::string::npos && !own.empty()) line = line.substr(0, at) + quote + own + "`";
    all += (all.empty() ? "" : "\n") + line;
  }
  return all;
}

}  // namespace tilescope
