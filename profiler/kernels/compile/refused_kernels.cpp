#include "profiler/kernels/compile/refused_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

// An error with the lines below it that are about it.
std::vector<std::string> errors_of(const std::string& log) {
  std::vector<std::string> errors;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool is_error = line.find("error") != std::string::npos;
    if (is_error || line.find("warning") != std::string::npos) errors.emplace_back();
    if (!errors.empty()) errors.back() += line + '\n';
    if (!is_error && line.find("warning") != std::string::npos) errors.pop_back();
  }
  return errors;
}

std::string without_spaces(std::string_view text) {
  std::string kept;
  for (const char letter : text)
    if (std::isspace(static_cast<unsigned char>(letter)) == 0) kept += letter;
  return kept;
}

// "k<float,2>" for each line `detected during instantiation of "void k<T,N>(T *) [with T=float, N=2]"`.
std::vector<std::string> instantiated_in(const std::string& error) {
  static const std::regex line(R"(instantiation of "([^\n<"]*)<[^\n]*\[with ([^\n]*)\]")");
  std::vector<std::string> instances;
  for (auto found = std::sregex_iterator(error.begin(), error.end(), line); found != std::sregex_iterator();
       ++found) {
    const std::string declared = (*found)[1].str();
    std::string instance = declared.substr(declared.find_last_of(' ') + 1) + '<';
    std::istringstream values((*found)[2].str());
    for (std::string value; std::getline(values, value, ',');)
      instance += without_spaces(value.substr(value.find('=') + 1)) + ',';
    instance.back() = '>';
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace

std::vector<std::string> refused_by_nvrtc(const std::vector<std::string>& kernels, const std::string& log) {
  std::set<std::string> refused;
  for (const std::string& error : errors_of(log)) {
    const bool is_about_names = error.find("__nv_name_map") != std::string::npos ||
                                error.find("nv_mangled_name") != std::string::npos;
    const std::string folded = without_spaces(error);
    const std::vector<std::string> instantiated = instantiated_in(error);
    for (const std::string& kernel : kernels) {
      const std::string name = without_spaces(kernel);
      const bool is_named = is_about_names && folded.find(name) != std::string::npos;
      if (is_named || std::ranges::any_of(instantiated, [&](const std::string& one) {
            return one.starts_with(name.substr(0, name.size() - 1));
          }))
        refused.insert(kernel);
    }
  }
  return {refused.begin(), refused.end()};
}

std::vector<std::string> refused_by_nvcc(const std::vector<std::string>& kernels, const std::string& log,
                                         std::size_t lines) {
  static const std::regex place(R"(\((\d+)\): error)");
  std::set<std::size_t> refused;
  for (auto found = std::sregex_iterator(log.begin(), log.end(), place); found != std::sregex_iterator();
       ++found) {
    const std::size_t line = std::stoul((*found)[1].str().substr(0, 9));
    if (line > lines && line - lines <= kernels.size()) refused.insert(line - lines - 1);
  }
  const bool is_in_template = log.find("instantiation of") != std::string::npos;
  if (refused.empty() && is_in_template) return kernels;
  std::vector<std::string> names;
  names.reserve(refused.size());
  for (const std::size_t i : refused) names.push_back(kernels[i]);
  return names;
}

std::string refused_note(const std::vector<std::string>& refused) {
  if (refused.empty()) return "";
  return fmt::format(" Left out: {}, whose template arguments do not compile.", fmt::join(refused, "; "));
}

}  // namespace tilescope
