#include "profiler/kernels/cuda_source/python_source.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

bool is_device_code(std::string_view text) {
  return text.find("__global__") != std::string_view::npos ||
         text.find("__device__") != std::string_view::npos;
}

class PythonReader {
 public:
  explicit PythonReader(std::string_view python) : python_(python) {}

  PythonCuda read() {
    while (at_ < python_.size()) {
      const char letter = python_[at_];
      if (letter == '#') {
        at_ = std::min(python_.find('\n', at_), python_.size());
      } else if (letter == '"' || letter == '\'') {
        take_literal("");
      } else if (is_word(letter)) {
        take_word();
      } else {
        if (letter == '\n') cuda_.text += '\n';
        ++at_;
      }
    }
    if (!has_code_) cuda_.text.clear();
    return std::move(cuda_);
  }

 private:
  static bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  }

  // A name, a number, or the prefix of a literal: "rb" of rb"...".
  void take_word() {
    constexpr std::size_t longest_prefix = 2;
    const std::size_t begin = at_;
    while (at_ < python_.size() && is_word(python_[at_])) ++at_;
    const std::string_view word = python_.substr(begin, at_ - begin);
    const bool is_before_quote = at_ < python_.size() && (python_[at_] == '"' || python_[at_] == '\'');
    if (is_before_quote && word.size() <= longest_prefix) take_literal(word);
  }

  void take_literal(std::string_view prefix) {
    const auto has = [&](char lower) {
      return std::ranges::any_of(prefix, [lower](unsigned char one) { return std::tolower(one) == lower; });
    };
    const char quote = python_[at_];
    const std::string three(3, quote);
    const bool is_long = python_.substr(at_).starts_with(three);
    const std::string_view end = is_long ? std::string_view(three) : python_.substr(at_, 1);
    at_ += end.size();
    const std::size_t begin = at_;
    while (at_ < python_.size() && !python_.substr(at_).starts_with(end)) {
      if (!is_long && python_[at_] == '\n') break;  // not closed: Python refuses the file
      at_ += python_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, python_.size());
    const std::string_view literal = python_.substr(begin, at_ - begin);
    if (python_.substr(at_).starts_with(end)) at_ += end.size();
    if (!is_device_code(literal)) return add_lines(literal);
    if (has('f')) {
      // Counted only here: a file may have many literals.
      cuda_.formatted_lines.push_back(1 +
                                      static_cast<int>(std::ranges::count(python_.substr(0, begin), '\n')));
      return add_lines(literal);
    }
    has_code_ = true;
    cuda_.text += has('r') ? std::string(literal) : unescaped(literal);
  }

  void add_lines(std::string_view text) {
    cuda_.text.append(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
  }

  // A backslash before the end of a line joins two lines in C++ as it does here.
  static std::string unescaped(std::string_view literal) {
    constexpr std::string_view letters = "\\'\"ntr", values = "\\'\"\n\t\r";
    std::string text;
    text.reserve(literal.size());
    for (std::size_t i = 0; i < literal.size(); ++i) {
      const std::size_t found = literal[i] == '\\' && i + 1 < literal.size() ? letters.find(literal[i + 1])
                                                                             : std::string_view::npos;
      if (found == std::string_view::npos) {
        text += literal[i];
      } else {
        text += values[found];
        ++i;
      }
    }
    return text;
  }

  std::string_view python_;
  std::size_t at_ = 0;
  bool has_code_ = false;
  PythonCuda cuda_;
};

}  // namespace

PythonCuda cuda_in_python(const std::string& python) {
  return PythonReader(python).read();
}

}  // namespace tilescope
