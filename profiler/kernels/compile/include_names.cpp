#include "profiler/kernels/compile/include_names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace tilescope {
namespace {

/// Reads letters as a compiler does: a backslash at the end of a line joins it with the next one.
class Letters {
 public:
  Letters(std::string_view text, std::size_t at) : text_(text), at_(at) { skip_splices(); }

  bool ended() const { return at_ >= text_.size(); }
  /// '\0' at the end.
  char now() const { return ended() ? '\0' : text_[at_]; }
  std::size_t at() const { return at_; }
  void next() {
    ++at_;
    skip_splices();
  }
  /// Takes a word if it comes next.
  bool take(std::string_view word) {
    Letters ahead = *this;
    for (const char letter : word) {
      if (ahead.now() != letter) return false;
      ahead.next();
    }
    *this = ahead;
    return true;
  }
  enum class Comments { on_this_line, over_lines };
  void skip_space(Comments comments) {
    while (!ended()) {
      if (now() == ' ' || now() == '\t' || now() == '\v' || now() == '\f' || now() == '\r') {
        next();
      } else if (!take_comment(comments)) {
        return;
      }
    }
  }
  /// Takes the text before `end` on this line, or its beginning if it is longer than any name of a file;
  /// nothing if `end` is not there.
  std::optional<std::string> take_until(char end) {
    std::string taken;
    Letters ahead = *this;
    for (; !ahead.ended() && ahead.now() != '\n' && taken.size() <= max_include_name; ahead.next()) {
      if (ahead.now() == end) {
        *this = ahead;
        next();
        return taken;
      }
      taken += ahead.now();
    }
    if (taken.size() <= max_include_name) return std::nullopt;
    *this = ahead;
    return taken;
  }

 private:
  bool take_comment(Comments comments) {
    constexpr std::size_t max_comment =
        200;  // Keeps the time in proportion to the text, also for "#/*" on each line.
    if (!take("/*")) return false;
    char before = '\0';
    for (std::size_t count = 0; !ended() && count < max_comment; ++count) {
      const char letter = now();
      if (letter == '\n' && comments == Comments::on_this_line) break;
      next();
      if (before == '*' && letter == '/') return true;
      before = letter;
    }
    at_ = text_.size();
    return true;
  }

  void skip_splices() {
    while (at_ + 1 < text_.size() && text_[at_] == '\\') {
      if (text_[at_ + 1] == '\n') {
        at_ += 2;
      } else if (text_.substr(at_ + 1, 2) == "\r\n") {
        at_ += 3;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_;
};

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Adds each name once.
class NameList {
 public:
  explicit NameList(std::vector<std::string>& names) : names_(names) {}
  void add(std::string name) {
    if (!name.empty() && seen_.insert(name).second) names_.push_back(std::move(name));
  }

 private:
  std::vector<std::string>& names_;
  std::set<std::string> seen_;
};

class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  IncludeNames find() {
    for (std::size_t line = 0; line < text_.size();) {
      const std::size_t end = end_of_line(line);
      look_at(line);
      // Behind the end of a comment of several lines another directive may begin.
      const std::string_view whole = text_.substr(0, end);
      for (std::size_t close = whole.find("*/", line); close != std::string_view::npos;
           close = whole.find("*/", close + 2))
        look_at(close + 2);
      line = end + 1;
    }
    if (!has_macro_names_) names_.by_macro.clear();
    return std::move(names_);
  }

 private:
  using Comments = Letters::Comments;

  /// The end of a line and of those that backslashes join to it.
  std::size_t end_of_line(std::size_t begin) const {
    std::size_t end = std::min(text_.find('\n', begin), text_.size());
    while (end < text_.size() && (text_.substr(begin, end - begin).ends_with('\\') ||
                                  text_.substr(begin, end - begin).ends_with("\\\r")))
      end = std::min(text_.find('\n', end + 1), text_.size());
    return end;
  }

  void look_at(std::size_t begin) {
    Letters letters(text_, begin);
    letters.skip_space(Comments::on_this_line);
    if (!letters.take("#") && !letters.take("%:")) return;
    letters.skip_space(Comments::over_lines);
    if (letters.take("include")) {
      letters.take("_next");
      letters.skip_space(Comments::over_lines);
      take_operand(letters);
    } else if (letters.take("define")) {
      take_texts(letters);
    }
  }

  void take_operand(Letters letters) {
    if (letters.take("\"")) {
      if (auto name = letters.take_until('"')) own_.add(std::move(*name));
    } else if (letters.take("<")) {
      auto name = letters.take_until('>');
      if (!name) return;
      (name->starts_with('/') ? own_ : of_toolkits_).add(std::move(*name));
    } else if (is_name_letter(letters.now())) {
      has_macro_names_ = true;
      while (is_name_letter(letters.now())) letters.next();
      letters.skip_space(Comments::over_lines);
      if (!letters.take("(")) return;
      if (auto argument = letters.take_until(')')) by_macro_.add(std::move(*argument));
    }
  }

  /// The texts in the body of a macro: "..." and <...>.
  void take_texts(Letters letters) {
    std::string unclosed;  // Openings (" or <) that this line does not close.
    while (!letters.ended() && letters.now() != '\n') {
      const char begin = letters.now();
      letters.next();
      if ((begin != '"' && begin != '<') || unclosed.find(begin) != std::string::npos) continue;
      if (auto name = letters.take_until(begin == '<' ? '>' : '"')) {
        by_macro_.add(std::move(*name));
      } else {
        unclosed += begin;
      }
    }
  }

  std::string_view text_;
  IncludeNames names_;
  NameList own_{names_.own}, of_toolkits_{names_.of_toolkits}, by_macro_{names_.by_macro};
  bool has_macro_names_ = false;
};

}  // namespace

IncludeNames find_include_names(std::string_view text) {
  return Finder(text).find();
}

}  // namespace tilescope
