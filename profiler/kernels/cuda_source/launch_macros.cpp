#include "profiler/kernels/cuda_source/launch_macros.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

/// Longest text that an expansion may give: macros that use each other can double it at each step. [bytes]
constexpr std::size_t max_expanded = std::size_t{2} << 20;

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The name that begins at a byte, "" if none does.
std::string_view name_at(std::string_view text, std::size_t at) {
  if (std::isdigit(static_cast<unsigned char>(text[at])) || (at > 0 && is_name_letter(text[at - 1])))
    return {};
  std::size_t end = at;
  while (end < text.size() && is_name_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::string on_one_line(std::string_view text) {
  std::string line(trimmed(text));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

struct Arguments {
  std::vector<std::string> texts;
  std::size_t end = 0;  ///< behind the closing parenthesis
};

/// Arguments of a use of a macro, none without a closing parenthesis.
std::optional<Arguments> arguments_at(std::string_view text, std::size_t at) {
  constexpr std::size_t max_length = 20'000;
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  if (at >= text.size() || text[at] != '(') return std::nullopt;
  Arguments arguments;
  int depth = 0;
  std::size_t begin = at + 1;
  for (std::size_t i = at; i < std::min(text.size(), at + max_length); ++i) {
    const char letter = text[i];
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
    if ((depth == 1 && letter == ',') || depth == 0) {
      arguments.texts.push_back(on_one_line(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (depth == 0) {
      arguments.end = i + 1;
      return arguments;
    }
  }
  return std::nullopt;
}

/// A macro's body with arguments: "#a" becomes a string, "a##b" one name.
class Body {
 public:
  Body(const SourceMacro& macro, std::vector<std::string> arguments) : macro_(macro) {
    std::size_t i = 0;
    for (const std::string& parameter : macro.parameters) {
      if (parameter == "...") break;
      values_[parameter] = i < arguments.size() ? arguments[i] : "";
      ++i;
    }
    std::string rest;
    for (std::size_t k = i; k < arguments.size(); ++k) rest += (k == i ? "" : ", ") + arguments[k];
    values_["__VA_ARGS__"] = rest;
  }

  std::string text() const {
    std::string result;
    const std::string_view body = macro_.body;
    for (std::size_t at = 0; at < body.size();) {
      if (body.substr(at).starts_with("##")) {
        while (result.ends_with(' ')) result.pop_back();
        at = body.find_first_not_of(' ', at + 2);
        if (at == std::string_view::npos) break;
        continue;
      }
      const bool is_text =
          body[at] == '#' && at + 1 < body.size() && values_.contains(std::string(name_at(body, at + 1)));
      const std::string name(name_at(body, at + (is_text ? 1 : 0)));
      const auto value = values_.find(name);
      if (is_text) {
        result += '"' + value->second + '"';
      } else {
        result += name.empty() ? std::string(1, body[at]) : value == values_.end() ? name : value->second;
      }
      at += (is_text ? 1 : 0) + std::max<std::size_t>(name.size(), 1);
    }
    return result;
  }

 private:
  const SourceMacro& macro_;
  std::map<std::string, std::string> values_;
};

bool mentions(std::string_view body, const std::map<std::string, const SourceMacro*>& macros) {
  for (std::size_t at = 0; at < body.size(); ++at)
    if (is_name_letter(body[at]) && macros.contains(std::string(name_at(body, at)))) return true;
  return false;
}

/// Macros with a launch or a kernel, also through other macros.
std::map<std::string, const SourceMacro*> launching_macros(const SourceIndex& index) {
  std::map<std::string, const SourceMacro*> macros;
  for (const SourceMacro& macro : index.macros())
    if (macro.body.find("<<<") != std::string::npos || macro.body.find("__global__ ") != std::string::npos)
      macros.emplace(macro.name, &macro);
  constexpr int max_rounds = 4;
  for (int round = 0; round < max_rounds && !macros.empty(); ++round)
    for (const SourceMacro& macro : index.macros())
      if (!macros.contains(macro.name) && mentions(macro.body, macros)) macros.emplace(macro.name, &macro);
  return macros;
}

/// Ranges of a text in which names are not macros.
std::vector<std::pair<std::uint32_t, std::uint32_t>> excluded_ranges(const SyntaxTree& tree) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const SyntaxNode node = tree.node(i);
    const std::string_view type = node.type();
    if (type == "comment" || type == "string_literal" || type == "raw_string_literal" ||
        type == "preproc_def" || type == "preproc_function_def" || type == "preproc_call")
      ranges.emplace_back(node.begin(), node.end());
  }
  return ranges;
}

}  // namespace

std::string with_expanded_launch_macros(const SyntaxTree& tree, const SourceIndex& index) {
  const auto macros = launching_macros(index);
  if (macros.empty()) return "";
  const std::string_view text = tree.text();
  const auto excluded = excluded_ranges(tree);
  auto next_excluded = excluded.begin();
  std::string result;
  bool is_changed = false;
  for (std::size_t at = 0; at < text.size();) {
    while (next_excluded != excluded.end() && next_excluded->second <= at) ++next_excluded;
    if (next_excluded != excluded.end() && next_excluded->first <= at) {
      result.append(text.substr(at, next_excluded->second - at));
      at = next_excluded->second;
      continue;
    }
    const std::string_view name = is_name_letter(text[at]) ? name_at(text, at) : std::string_view();
    const auto macro = name.empty() ? macros.end() : macros.find(std::string(name));
    const auto arguments = macro != macros.end() && macro->second->has_parameters
                               ? arguments_at(text, at + name.size())
                               : std::nullopt;
    if (macro == macros.end() || (macro->second->has_parameters && !arguments) ||
        result.size() > max_expanded) {
      const std::size_t length = std::max<std::size_t>(name.size(), 1);
      result.append(text.substr(at, length));
      at += length;
      continue;
    }
    const std::size_t end = arguments ? arguments->end : at + name.size();
    std::string body = Body(*macro->second, arguments ? arguments->texts : std::vector<std::string>()).text();
    const std::string_view used = text.substr(at, end - at);
    // A function ends on the line on which the macro's arguments end.
    const std::size_t last = body.find_last_not_of(" \t\n");
    const bool is_function = last != std::string::npos && body[last] == '}';
    body.insert(is_function ? last : body.size(),
                static_cast<std::size_t>(std::count(used.begin(), used.end(), '\n')), '\n');
    result += body;
    at = end;
    is_changed = true;
  }
  return is_changed ? result : "";
}

}  // namespace tilescope
