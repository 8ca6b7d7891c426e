#include "profiler/execution/ptx/text/function_name.hpp"

#include <array>
#include <cstddef>

namespace tilescope::ptx {
namespace {

constexpr std::size_t longest_shown = 120;
constexpr int deepest_nesting = 64;

struct Operator {
  std::string_view code;
  std::string_view name;
};
constexpr std::array operators = {
    Operator{"nw", "new"}, Operator{"na", "new[]"}, Operator{"dl", "delete"}, Operator{"da", "delete[]"},
    Operator{"ps", "+"},   Operator{"ng", "-"},     Operator{"ad", "&"},      Operator{"de", "*"},
    Operator{"co", "~"},   Operator{"pl", "+"},     Operator{"mi", "-"},      Operator{"ml", "*"},
    Operator{"dv", "/"},   Operator{"rm", "%"},     Operator{"an", "&"},      Operator{"or", "|"},
    Operator{"eo", "^"},   Operator{"aS", "="},     Operator{"pL", "+="},     Operator{"mI", "-="},
    Operator{"mL", "*="},  Operator{"dV", "/="},    Operator{"rM", "%="},     Operator{"aN", "&="},
    Operator{"oR", "|="},  Operator{"eO", "^="},    Operator{"ls", "<<"},     Operator{"rs", ">>"},
    Operator{"lS", "<<="}, Operator{"rS", ">>="},   Operator{"eq", "=="},     Operator{"ne", "!="},
    Operator{"lt", "<"},   Operator{"gt", ">"},     Operator{"le", "<="},     Operator{"ge", ">="},
    Operator{"ss", "<=>"}, Operator{"nt", "!"},     Operator{"aa", "&&"},     Operator{"oo", "||"},
    Operator{"pp", "++"},  Operator{"mm", "--"},    Operator{"cm", ","},      Operator{"pm", "->*"},
    Operator{"pt", "->"},  Operator{"cl", "()"},    Operator{"ix", "[]"}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Reads the name out of an Itanium-mangled function and steps over all types in it: abi::__cxa_demangle writes them
// out, and substitutions can make what it writes exponentially longer than the text.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : text_(text) {}

  // "" for names that are not supported (expressions in template arguments, virtual tables).
  std::string read() {
    std::string name;
    return read_name(name) ? name : "";
  }

 private:
  // Bounds the recursion, which a hostile text could drive.
  struct Level {
    explicit Level(int& count) : depth(count) { ++depth; }
    ~Level() { --depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth;
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  bool read_name(std::string& name) {
    const Level level(depth_);
    if (depth_ > deepest_nesting) return false;
    if (take('N')) {
      while (peek() == 'r' || peek() == 'V' || peek() == 'K' || peek() == 'R' || peek() == 'O') ++at_;
      return read_components(name);
    }
    if (take('Z')) return read_local(name);
    return read_component(name) && skip_arguments_if_any();
  }

  // The parts of a nested name up to its E.
  bool read_components(std::string& name) {
    while (!take('E')) {
      if (!read_component(name) || !skip_arguments_if_any()) return false;
    }
    return true;
  }

  // Z function E entity: something in a function, of which only the entity is named.
  bool read_local(std::string& name) {
    std::string function;
    if (!read_name(function)) return false;
    while (!take('E')) {
      if (!skip_type()) return false;
    }
    if (take('s')) {
      name = function;
      return true;
    }
    if (!read_name(name)) return false;
    skip_discriminator();
    return true;
  }

  void skip_discriminator() {
    if (peek() != '_' || !(is_digit(peek(1)) || peek(1) == '_')) return;
    at_ += peek(1) == '_' ? 2 : 1;
    while (is_digit(peek())) ++at_;
    take('_');
  }

  bool read_component(std::string& name) {
    std::string part;
    if (peek() == 'S') {
      const bool is_std = peek(1) == 't';
      if (!skip_substitution()) return false;
      if (!is_std) return true;
      join(name, "std");
      if (peek() == 'E' || peek() == 'I') return true;
      return read_component(name);
    }
    if (peek() == 'T') return skip_type();  // a template parameter in front of a member
    take('L');                              // of internal linkage
    if (is_digit(peek())) {
      std::string_view word;
      if (!take_source_name(word)) return false;
      part = word.starts_with("_GLOBAL__N_") ? "(anonymous namespace)" : std::string(word);
    } else if (!read_special_part(part)) {
      return false;
    }
    while (take('B')) {
      std::string_view tag;
      if (!take_source_name(tag)) return false;
    }
    join(name, part);
    return true;
  }

  // Constructors, destructors, closures and operators.
  bool read_special_part(std::string& part) {
    if ((peek() == 'C' || peek() == 'D') && is_digit(peek(1))) {
      part = (peek() == 'D' ? "~" : "") + last_;
      at_ += 2;
      return true;
    }
    if (peek() == 'U' && (peek(1) == 'l' || peek(1) == 't')) return read_unnamed(part);
    if (peek() == 'c' && peek(1) == 'v') {
      at_ += 2;
      part = "operator conversion";
      return skip_type();
    }
    for (const Operator& known : operators) {
      if (text_.substr(at_, 2) != known.code) continue;
      at_ += 2;
      part = "operator" + std::string(is_lower(known.name[0]) ? " " : "") + std::string(known.name);
      return true;
    }
    return false;
  }

  // Ul types E number _, Ut number _
  bool read_unnamed(std::string& part) {
    const bool is_lambda = peek(1) == 'l';
    at_ += 2;
    part = is_lambda ? "{lambda}" : "{unnamed}";
    if (is_lambda) {
      while (!take('E')) {
        if (!skip_type()) return false;
      }
    }
    while (is_digit(peek())) ++at_;
    return take('_');
  }

  void join(std::string& name, std::string_view part) {
    last_ = part.substr(0, longest_shown);
    if (name.size() > longest_shown) return;
    if (!name.empty()) name += "::";
    name += part.substr(0, longest_shown);
  }

  bool take_source_name(std::string_view& word) {
    std::size_t length = 0;
    if (!is_digit(peek())) return false;
    while (is_digit(peek()) && length <= text_.size())
      length = 10 * length + static_cast<std::size_t>(text_[at_++] - '0');
    if (length == 0 || length > text_.size() - at_) return false;
    word = text_.substr(at_, length);
    at_ += length;
    return true;
  }

  // S_, S1A_, St, Sa ...
  bool skip_substitution() {
    ++at_;
    if (is_lower(peek())) {
      ++at_;
      return true;
    }
    while (is_digit(peek()) || (peek() >= 'A' && peek() <= 'Z')) ++at_;
    return take('_');
  }

  bool skip_arguments_if_any() {
    if (!take('I')) return true;
    return skip_arguments();
  }

  bool skip_arguments() {
    const Level level(depth_);
    if (depth_ > deepest_nesting) return false;
    while (!take('E')) {
      if (take('J')) {
        if (!skip_arguments()) return false;
      } else if (take('L')) {
        if (!skip_literal()) return false;
      } else if (!skip_type()) {
        return false;
      }
    }
    return true;
  }

  // Skips `L type value E` behind its L; the value is a number, or a mangled name.
  bool skip_literal() {
    if (peek() == '_' && peek(1) == 'Z') {
      at_ += 2;
      std::string name;
      if (!read_name(name)) return false;
      while (!take('E')) {
        if (!skip_type()) return false;
      }
      return true;
    }
    if (!skip_type()) return false;
    while (peek() == 'n' || peek() == '_' || is_digit(peek()) || (peek() >= 'a' && peek() <= 'f')) ++at_;
    return take('E');
  }

  bool skip_type() {
    const Level level(depth_);
    if (depth_ > deepest_nesting) return false;
    constexpr std::string_view qualifiers = "PROKVrCG";
    while (at_ < text_.size() && qualifiers.find(peek()) != std::string_view::npos) ++at_;
    const char c = peek();
    std::string ignored;
    if (is_digit(c) || c == 'N' || c == 'Z') return read_name(ignored);
    if (c == 'S') return read_component(ignored) && skip_arguments_if_any();
    if (c == 'D') return skip_d_type();
    if (is_lower(c) && c != 'u') {
      ++at_;
      return true;
    }
    return skip_rare_type(c);
  }

  bool skip_rare_type(char c) {
    std::string_view word;
    ++at_;
    switch (c) {
      case 'u':
        return take_source_name(word);
      case 'U':
        return take_source_name(word) && skip_arguments_if_any() && skip_type();
      case 'T':
        while (is_digit(peek())) ++at_;
        return take('_') && skip_arguments_if_any();
      case 'A':
        while (is_digit(peek())) ++at_;
        return take('_') && skip_type();
      case 'M':
        return skip_type() && skip_type();
      case 'F':
        take('Y');
        while (!take('E')) {
          if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
            ++at_;
          } else if (!skip_type()) {
            return false;
          }
        }
        return true;
      default:
        return false;
    }
  }

  // Dp type, Dv8_ type, DF16_, Do function, Dh and the like.
  bool skip_d_type() {
    const char c = peek(1);
    at_ += 2;
    if (c == 'p' || c == 'o') return skip_type();
    if (c == 'v' || c == 'F') {
      while (is_digit(peek())) ++at_;
      if (c == 'F') return take('_') || take('b') || take('x');
      return take('_') && skip_type();
    }
    constexpr std::string_view alone = "nisuacdefh";
    return alone.find(c) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string last_;  // the part before this one, which names constructors
};

}  // namespace

std::string short_function_name(std::string_view mangled) {
  std::string name;
  if (mangled.starts_with("_Z")) name = NameReader(mangled.substr(2)).read();
  return name.empty() ? std::string(mangled.substr(0, longest_shown)) : name.substr(0, longest_shown);
}

std::string without_unnamed_namespaces(std::string demangled) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = demangled.find(unnamed); at != std::string::npos; at = demangled.find(unnamed, at))
    demangled.erase(at, unnamed.size());
  return demangled;
}

}  // namespace tilescope::ptx
