#include "profiler/kernels/containers/triton_ir.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace tilescope {
namespace {

using std::string_view;

bool is_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

string_view word_at(string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(std::min(at, text.size()), end - at);
}

std::vector<string_view> lines_of(string_view text) {
  std::vector<string_view> lines;
  lines.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::int64_t> number_in(string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// The text behind the first `before`; "" where it is not there.
string_view behind(string_view text, string_view before) {
  const std::size_t at = text.find(before);
  return at == string_view::npos ? string_view() : text.substr(at + before.size());
}

// "!tt.ptr<f16>" as C++ would write it.
std::string cpp_type(string_view type) {
  constexpr std::array<std::pair<string_view, string_view>, 11> names = {{{"f16", "__half"},
                                                                          {"bf16", "__nv_bfloat16"},
                                                                          {"f32", "float"},
                                                                          {"f64", "double"},
                                                                          {"i1", "bool"},
                                                                          {"i8", "signed char"},
                                                                          {"i16", "short"},
                                                                          {"i32", "int"},
                                                                          {"i64", "long long"},
                                                                          {"f8E4M3FN", "__nv_fp8_e4m3"},
                                                                          {"f8E5M2", "__nv_fp8_e5m2"}}};
  constexpr string_view pointer = "!tt.ptr<";
  const bool is_pointer = type.starts_with(pointer);
  if (is_pointer) type = type.substr(pointer.size(), type.find_first_of(",>") - pointer.size());
  const auto* const found = std::ranges::find(names, type, &std::pair<string_view, string_view>::first);
  if (found == names.end()) return is_pointer ? "void*" : "";
  return std::string(found->second) + (is_pointer ? "*" : "");
}

// The IR counts parameters whose names it does not keep: arg0, arg1.
bool is_counted(string_view name) {
  return name.starts_with("arg") && name.size() > 3 &&
         name.find_first_not_of("0123456789", 3) == string_view::npos;
}

/// Place in the Python file; the column from 0.
struct Place {
  std::size_t line = 0, column = 0;
};

// "#loc1 = loc("/home/me/add.py":18:24)" and "#loc89 = loc("pid"(#loc1))", by "#loc1".
class Places {
 public:
  Places(const std::vector<string_view>& lines, string_view file) {
    for (const string_view line : lines) {
      if (!line.starts_with("#loc")) continue;
      const std::size_t end = line.find(' ');
      const string_view value = behind(line, " = loc(");
      if (end == string_view::npos || !value.starts_with('"')) continue;
      const string_view rest = value.substr(std::min(value.find('"', 1), value.size() - 1) + 1);
      if (rest.starts_with("(#loc")) {
        aliases_.emplace(line.substr(0, end), rest.substr(1, rest.find(')') - 1));
      } else if (const auto place = place_of(value, rest, file)) {
        places_.emplace(line.substr(0, end), *place);
      }
    }
  }

  // Place of an operation, whose line ends with "loc(#loc12)".
  const Place* of(string_view operation) const {
    const std::size_t at = operation.rfind("loc(#");
    if (at == string_view::npos) return nullptr;
    string_view name = operation.substr(at + 4, operation.find(')', at) - at - 4);
    if (const auto alias = aliases_.find(name); alias != aliases_.end()) name = alias->second;
    const auto place = places_.find(name);
    return place == places_.end() ? nullptr : &place->second;
  }

 private:
  static std::optional<Place> place_of(string_view value, string_view rest, string_view file) {
    if (value.substr(1, value.find('"', 1) - 1) != file || !rest.starts_with(':')) return std::nullopt;
    const auto line = number_in(rest.substr(1));
    const auto column = number_in(behind(rest.substr(1), ":"));
    if (!line || !column || *line < 1 || *column < 0) return std::nullopt;
    return Place{static_cast<std::size_t>(*line), static_cast<std::size_t>(*column)};
  }

  std::map<string_view, Place> places_;
  std::map<string_view, string_view> aliases_;
};

/// A function of a Python file.
struct PythonFunction {
  /// Lines from its `def` to the next statement that is not indented more, from 1.
  std::size_t first = 0, last = 0;
  /// tl.constexpr parameters, with their lines.
  std::map<string_view, std::int64_t> constants;
  /// All others.
  std::vector<string_view> parameters;
};

std::size_t indent_of(string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

bool is_constant(string_view behind_name) {
  const std::size_t colon = behind_name.find_first_not_of(" \t");
  if (colon == string_view::npos || behind_name[colon] != ':') return false;
  return behind_name.substr(colon, behind_name.find_first_of(",=)") - colon).find("constexpr") !=
         string_view::npos;
}

// Parameters before the parenthesis that closes; returns the line behind it, from 1.
std::size_t read_signature(const std::vector<string_view>& lines, std::size_t first, string_view name,
                           PythonFunction& function) {
  int depth = 0;
  bool begins = false;
  for (std::size_t i = first; i < lines.size(); ++i) {
    string_view line = lines[i].substr(0, lines[i].find('#'));
    if (i == first) line = behind(line, name);
    for (std::size_t at = 0; at < line.size(); ++at) {
      const char letter = line[at];
      depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
      if (depth == 0) return i + 1;
      if (depth == 1 && (letter == ',' || letter == '(')) begins = true;
      if (!begins || !is_word(letter)) continue;
      begins = false;
      const string_view word = word_at(line, at);
      if (is_constant(line.substr(at + word.size()))) {
        function.constants.emplace(word, static_cast<std::int64_t>(i + 1));
      } else {
        function.parameters.push_back(word);
      }
    }
  }
  return lines.size();
}

std::optional<PythonFunction> function_named(const std::vector<string_view>& lines, string_view name) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t indent = indent_of(lines[i]);
    const string_view text = lines[i].substr(indent);
    if (!text.starts_with("def ") || word_at(text, 4) != name) continue;
    PythonFunction function;
    function.first = i + 1;
    function.last = read_signature(lines, i, name, function);
    while (function.last < lines.size() && (indent_of(lines[function.last]) > indent ||
                                            indent_of(lines[function.last]) == lines[function.last].size()))
      ++function.last;
    return function;
  }
  return std::nullopt;
}

// The name at a place: the parameter itself, or the end of a range that begins there, tl.arange(0, BLOCK).
string_view name_at(string_view line, std::size_t column, bool is_range) {
  const string_view text = line.substr(std::min(column, line.size()));
  const string_view arguments = behind(text.substr(0, text.find(')')), "arange(");
  if (is_range && text.starts_with("tl.arange(") && !arguments.empty()) {
    const std::size_t comma = arguments.find(',');
    const std::size_t at = comma == string_view::npos ? comma : arguments.find_first_not_of(" \t", comma + 1);
    if (at == string_view::npos) return {};
    const string_view word = word_at(arguments, at);
    return arguments.find_first_not_of(" \t", at + word.size()) == string_view::npos ? word : string_view();
  }
  const string_view word = word_at(text, 0);
  const std::size_t next = text.find_first_not_of(" \t", word.size());
  if (is_range && (next == string_view::npos || text[next] != ')')) return {};
  return word;
}

// Bounds of whole numbers, with which Triton looks for overflows.
bool is_bound(std::int64_t value) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return value >= most || value <= -most;
}

/// Values that operations have at places where a parameter is named.
struct SeenValues {
  std::set<std::int64_t> ranges, numbers;
};

std::map<string_view, SeenValues> seen_values(const std::vector<string_view>& ir,
                                              const std::vector<string_view>& python,
                                              const PythonFunction& function, const Places& places) {
  std::map<string_view, SeenValues> seen;
  for (const string_view line : ir) {
    const string_view end = behind(line, "tt.make_range {end = ");
    const bool is_range = !end.empty();
    const auto value = number_in(is_range ? end : behind(line, "arith.constant "));
    if (!value || is_bound(*value)) continue;
    const Place* const place = places.of(line);
    if (place == nullptr || place->line < function.first || place->line > function.last) continue;
    const string_view name = name_at(python[place->line - 1], place->column, is_range);
    if (!function.constants.contains(name)) continue;
    (is_range ? seen[name].ranges : seen[name].numbers).insert(*value);
  }
  return seen;
}

std::vector<TritonParameter> parameters_of(string_view ir, string_view kernel) {
  const std::string begin = "@" + std::string(kernel) + "(";
  string_view signature = behind(ir, begin);
  signature = signature.substr(0, signature.find('\n'));
  std::vector<TritonParameter> parameters;
  for (std::size_t at = signature.find('%'); at != string_view::npos; at = signature.find('%', at + 1)) {
    const string_view name = word_at(signature, at + 1);
    const string_view rest = signature.substr(at + 1 + name.size());
    if (!rest.starts_with(": ")) continue;
    const string_view type = rest.substr(2, rest.find_first_of(" )", 2) - 2);
    parameters.push_back({is_counted(name) ? "" : std::string(name),
                          cpp_type(type.ends_with(',') ? type.substr(0, type.size() - 1) : type)});
  }
  return parameters;
}

void take_names(const PythonFunction& python, TritonFunction& function) {
  std::vector<TritonParameter>& parameters = function.parameters;
  if (python.parameters.size() == parameters.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].name = python.parameters[i];
    return;
  }
  if (std::ranges::any_of(parameters, &std::string::empty, &TritonParameter::name)) return;
  for (const string_view name : python.parameters)
    if (std::ranges::find(parameters, name, &TritonParameter::name) == parameters.end())
      function.compiled_in.emplace_back(name);
}

std::map<std::string, TritonConstant> constants_of(string_view ir, const std::vector<string_view>& python,
                                                   const PythonFunction& function) {
  const std::vector<string_view> lines = lines_of(ir);
  const Places places(lines, triton_source(ir));
  std::map<std::string, TritonConstant> constants;
  for (const auto& [name, seen] : seen_values(lines, python, function, places)) {
    const std::set<std::int64_t>& values = seen.ranges.empty() ? seen.numbers : seen.ranges;
    if (values.size() == 1) constants[std::string(name)] = {*values.begin(), function.constants.at(name)};
  }
  return constants;
}

}  // namespace

std::string triton_source(string_view ir) {
  const string_view name = behind(ir, "#loc = loc(\"");
  const string_view file = name.substr(0, std::min(name.find('"'), name.size()));
  return file.ends_with(".py") ? std::string(file) : "";
}

TritonFunction triton_function(string_view ir, string_view python, string_view kernel) {
  TritonFunction function;
  function.parameters = parameters_of(ir, kernel);
  const std::vector<string_view> lines = lines_of(python);
  const auto written = function_named(lines, kernel);
  if (!written || function.parameters.empty()) return function;
  take_names(*written, function);
  function.constants = constants_of(ir, lines, *written);
  return function;
}

}  // namespace tilescope
