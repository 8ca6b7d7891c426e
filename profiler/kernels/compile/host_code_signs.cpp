#include "profiler/kernels/compile/host_code_signs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

#include "profiler/kernels/compile/include_names.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// A text in which comments and literals are found.
class CodeText {
 public:
  explicit CodeText(std::string_view text) : text_(text) {}

  /// The text with spaces in the place of comments and literals.
  std::string blanked() {
    std::string code(text_);
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = end_of_blank(at);
      if (end > at) {
        std::replace_if(
            code.begin() + static_cast<std::ptrdiff_t>(at), code.begin() + static_cast<std::ptrdiff_t>(end),
            [](char letter) { return letter != '\n'; }, ' ');
        at = end;
      } else {
        ++at;
      }
    }
    return code;
  }

 private:
  std::size_t behind(std::string_view end, std::size_t from) const {
    const std::size_t found = text_.find(end, from);
    return found == std::string_view::npos ? text_.size() : found + end.size();
  }

  /// `at` where no comment and no literal begins.
  std::size_t end_of_blank(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("//")) return std::min(text_.find('\n', at), text_.size());
    if (rest.starts_with("/*")) return behind("*/", at + 2);
    // 1'000 has no literal in it.
    const bool is_quote =
        rest.front() == '"' || (rest.front() == '\'' && (at == 0 || !is_name_letter(text_[at - 1])));
    return is_quote ? end_of_literal(at) : at;
  }

  /// On its line: an apostrophe of #error has no end.
  std::size_t end_of_literal(std::size_t at) const {
    for (std::size_t i = at + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == text_[at]) {
        return i + 1;
      }
    }
    return at;
  }

  std::string_view text_;
};

bool calls_main(std::string_view code) {
  constexpr std::string_view name = "main";
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const std::size_t next = code.find_first_not_of(" \t\r\n", at + name.size());
    const bool is_word = at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1])) != 0;
    if (is_word && next != std::string_view::npos && code[next] == '(') return true;
  }
  return false;
}

bool is_there(const fs::path& name, const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / name, ignored);
  });
}

// Headers that NVRTC finds among its own, and whose users call the runtime from the host.
bool is_for_host(const std::string& name) {
  constexpr std::array<std::string_view, 4> names = {"cuda_runtime.h", "cuda_runtime_api.h", "cuda.h",
                                                     "device_launch_parameters.h"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string sign_of_host_code(std::string_view text, const std::vector<fs::path>& header_folders) {
  const std::string code = CodeText(text).blanked();
  if (code.find("<<<") != std::string::npos) return "it launches a kernel (<<<)";
  if (calls_main(code)) return "it has a function main";
  for (const std::string& name : find_include_names(code).of_toolkits)
    if (is_for_host(name) || !is_there(name, header_folders)) return "it includes <" + name + ">";
  for (const std::string& name : find_include_names(text).own)
    if (is_for_host(name)) return "it includes \"" + name + "\"";
  return "";
}

}  // namespace tilescope
