#include "profiler/kernels/compile/ptxas_log.hpp"

#include <algorithm>
#include <regex>

namespace tilescope {
namespace {

std::int64_t number_before(const std::string& text, const std::string& words) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("([0-9]+) " + words))) return 0;
  return std::stoll(match[1]);
}

// The limit of 48 KB applies only to static shared memory, on every architecture. It is often mistaken for the device's
// limit.
constexpr const char* static_shared_repair =
    "; only static shared memory is held to 48 KB: make it extern __shared__ and declare its "
    "dynamic_shared_bytes";

}  // namespace

std::optional<Resources> parse_ptxas_log(const std::string& log, const std::string& entry) {
  const std::size_t start = log.find("Compiling entry function '" + entry + "'");
  if (start == std::string::npos) return std::nullopt;
  const std::size_t next = log.find("Compiling entry function", start + 1);
  const std::string part = log.substr(start, next == std::string::npos ? next : next - start);
  // The entry's "Function properties" come first; other functions' may follow.
  std::smatch used;
  if (!std::regex_search(part, used, std::regex("Used ([0-9]+) registers"))) return std::nullopt;
  Resources resources;
  resources.registers = std::stoll(used[1]);
  resources.static_shared_bytes = number_before(part, "bytes smem");
  resources.stack_bytes = number_before(part, "bytes stack frame");
  resources.spill_bytes =
      number_before(part, "bytes spill stores") + number_before(part, "bytes spill loads");
  return resources;
}

std::vector<std::string> compiled_entries(const std::string& log) {
  // By hand: std::regex takes stack for each letter of a name, and a name may have as many as its author likes.
  const std::string words = "Compiling entry function '";
  std::vector<std::string> names;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at)) {
    at += words.size();
    const std::size_t end = log.find('\'', at);
    if (end == std::string::npos) break;
    if (end > at) names.push_back(log.substr(at, end - at));
    at = end;
  }
  return names;
}

std::string first_error(const std::string& log) {
  const std::size_t place = std::min(log.find("error"), log.find("fatal"));
  if (place == std::string::npos) return "";
  const std::size_t line_start = log.rfind('\n', place) == std::string::npos ? 0 : log.rfind('\n', place) + 1;
  const std::size_t line_end = log.find('\n', line_start);
  std::string error = log.substr(line_start, line_end - line_start);
  if (error.find("too much shared data") != std::string::npos) return error + static_shared_repair;
  if (line_end == std::string::npos) return error;
  const std::size_t source_end = log.find('\n', line_end + 1);
  const std::string source = log.substr(line_end + 1, source_end - line_end - 1);
  const std::size_t first = source.find_first_not_of(" \t");
  if (first != std::string::npos) error += ": `" + source.substr(first) + "`";
  return error;
}

}  // namespace tilescope
