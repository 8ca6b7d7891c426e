#include "profiler/measure/files/symbol_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "profiler/execution/ptx/text/function_name.hpp"

namespace tilescope {
namespace {

// Substitutions let a short text stand for an exponentially long name; compilers write shorter ones than this.
constexpr std::size_t longest_mangled = 8192;
constexpr std::size_t most_listed = 20;
constexpr std::size_t longest_listed = 300;

std::string without_spaces(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return c != ' '; });
  return kept;
}

// "ns::fill<float>(float*, float)" without the result's type, which templates have.
std::string without_result(const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(' && depth == 0) break;
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

// The last part of a name with its namespaces: "fill" of "ns::fill".
std::string last_part(const std::string& name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace

std::string demangled_symbol(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > longest_mangled) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? without_result(text.get()) : name;
}

std::vector<std::string> symbols_named(const std::vector<std::string>& names, std::string_view wanted) {
  if (std::ranges::find(names, wanted) != names.end()) return {std::string(wanted)};
  const std::string text = without_spaces(ptx::without_unnamed_namespaces(std::string(wanted)));
  std::vector<std::string> by_name, by_parameters, by_part;
  for (const std::string& name : names) {
    const std::string full = without_spaces(ptx::without_unnamed_namespaces(demangled_symbol(name)));
    const std::string shortened = ptx::short_function_name(name);
    const std::size_t arguments = full.find('(');
    if (full == text || full.substr(0, arguments) == text) by_parameters.push_back(name);
    if (shortened == text || last_part(shortened) == text) by_name.push_back(name);
    if (full.find(text) != std::string::npos || name.find(text) != std::string::npos) by_part.push_back(name);
  }
  if (!by_parameters.empty()) return by_parameters;
  return by_name.empty() ? by_part : by_name;
}

std::string symbol_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i)
    text += fmt::format("{}{:.{}}", i == 0 ? "" : ", ", demangled_symbol(names[i]), longest_listed);
  if (names.size() > most_listed) text += fmt::format(" and {} more", names.size() - most_listed);
  return text;
}

}  // namespace tilescope
