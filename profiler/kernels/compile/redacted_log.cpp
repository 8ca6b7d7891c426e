#include "profiler/kernels/compile/redacted_log.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace tilescope {
namespace {

/// The file of "NAME(12): error: ..." and "NAME:12:3: error: ..."; "" for any other line.
std::string_view file_of(std::string_view line) {
  if (line.starts_with(' ')) return {};  // a line of code
  const auto digits_end = [&](std::size_t begin) { return line.find_first_not_of("0123456789", begin); };
  for (std::size_t at = line.find_first_of("(:"); at != std::string_view::npos;
       at = line.find_first_of("(:", at + 1)) {
    const std::size_t end = digits_end(at + 1);
    if (end == at + 1 || end == std::string_view::npos) continue;
    const std::string_view rest = line.substr(end);
    if (line[at] == '(' ? rest.starts_with("): ") : rest.starts_with(":")) return line.substr(0, at);
  }
  return {};
}

/// A message with "..." for everything that it quotes.
std::string without_quotations(std::string_view line) {
  std::string text;
  bool is_quoted = false;
  for (const char letter : line) {
    if (letter == '"') {
      is_quoted = !is_quoted;
      text += is_quoted ? "\"..." : "\"";
    } else if (!is_quoted) {
      text += letter;
    }
  }
  return text;
}

class Redaction {
 public:
  Redaction(const KernelSource& source, const std::vector<std::string>& toolkit_folders)
      : source_(source), folders_(toolkit_folders) {}

  bool is_public(std::string_view name) const {
    const std::string file(name.starts_with("./") ? name.substr(2) : name);
    if (source_.file.hashed_headers.contains(file)) return false;
    if (file.starts_with("__nv_nvrtc_builtin")) return true;
    if (file == source_.file.name || source_.file.headers.contains(file)) return true;
    const std::string path = std::filesystem::path(file).lexically_normal().string();
    return std::ranges::any_of(folders_, [&](const std::string& folder) { return path.starts_with(folder); });
  }

 private:
  const KernelSource& source_;
  const std::vector<std::string>& folders_;
};

}  // namespace

std::string redacted_log(const std::string& log, const KernelSource& source,
                         const std::vector<std::string>& toolkit_folders) {
  const Redaction redaction(source, toolkit_folders);
  std::string text;
  bool is_quotation = false;  // Lines of code follow a message about a private file, up to an empty line.
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = std::string_view(log).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view file = file_of(line);
    if (!file.empty()) {
      is_quotation = !redaction.is_public(file);
      text +=
          is_quotation ? std::string(file) + without_quotations(line.substr(file.size())) : std::string(line);
    } else if (line.empty()) {
      is_quotation = false;
    } else if (!is_quotation) {
      text += line;
    } else {
      continue;
    }
    if (end < log.size()) text += '\n';
  }
  return text;
}

}  // namespace tilescope
