#include "profiler/catalogue/catalogue.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace tilescope {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// Levenshtein's distance, upper and lower case the same.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// The ladder from its foot, then the rungs that do not say where they stand, then the other roles; the rest as it is.
bool comes_before(const KernelDeclaration& a, const KernelDeclaration& b) {
  const auto place = [](const KernelDeclaration& kernel) {
    return std::pair(kernel.role, kernel.rung > 0 ? kernel.rung : std::numeric_limits<int>::max());
  };
  return place(a) < place(b);
}

// A .cu file, or the .json file of a library's kernel, which has no .cu beside it.
bool may_declare(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path().filename();
  if (folder == "tests" || folder == "bench") return false;
  if (file.extension() == ".cu") return true;
  return file.extension() == ".json" &&
         !std::filesystem::exists(std::filesystem::path(file).replace_extension(".cu"));
}

}  // namespace

Catalogue::Catalogue(const std::filesystem::path& kernels) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kernels)) {
      if (may_declare(entry.path())) files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw DeclarationError("the kernels cannot be read: " + std::string(error.what()));
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, std::filesystem::path> seen;
  for (const std::filesystem::path& file : files) {
    if (!declares_kernel(file)) continue;
    KernelDeclaration kernel = read_kernel_declaration(file);
    const auto [first, inserted] = seen.emplace(kernel.name, file);
    if (!inserted) {
      throw DeclarationError("two kernels are named '" + kernel.name + "': " + first->second.string() +
                             " and " + file.string() + "; rename one of them");
    }
    kernels_.push_back(std::move(kernel));
  }
  std::stable_sort(kernels_.begin(), kernels_.end(), comes_before);
}

KernelDeclaration Catalogue::find(const std::string& name_or_path) const {
  for (const KernelDeclaration& kernel : kernels_) {
    if (kernel.name == name_or_path) return kernel;
  }
  if (std::filesystem::path(name_or_path).extension() == ".cu") {
    if (!std::filesystem::exists(name_or_path)) throw UnknownName("there is no file '" + name_or_path + "'");
    return read_kernel_declaration(name_or_path);
  }
  std::vector<std::string> names;
  for (const KernelDeclaration& kernel : kernels_) names.push_back(kernel.name);
  throw UnknownName("there is no kernel '" + name_or_path + "'; the nearest: " +
                    nearest_names(name_or_path, names) + " (or give the path of a .cu file)");
}

void check_values(const KernelDeclaration& kernel, const Configuration& chosen) {
  for (const auto& [name, value] : chosen) {
    const ParameterDeclaration* parameter = kernel.find_parameter(name);
    if (parameter == nullptr) {
      std::vector<std::string> names;
      for (const ParameterDeclaration& declared : kernel.parameters) names.push_back(declared.name);
      throw UnknownName(kernel.name + " has no parameter '" + name +
                        "'; the nearest: " + nearest_names(name, names));
    }
    const bool both_numbers = std::holds_alternative<std::int64_t>(value) &&
                              std::holds_alternative<std::int64_t>(parameter->default_value);
    if (!both_numbers && !parameter->declares(value)) throw UnknownName(parameter->why_undeclared(value));
  }
}

std::string nearest_names(const std::string& name, const std::vector<std::string>& candidates) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  ranked.reserve(candidates.size());
  for (const std::string& candidate : candidates) {
    ranked.emplace_back(edit_distance(lower_case(name), lower_case(candidate)), candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ranked.resize(std::min<std::size_t>(ranked.size(), 3));
  std::string text;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const char* separator = i == 0 ? "" : i + 1 == ranked.size() ? " or " : ", ";
    text += separator + ("'" + ranked[i].second + "'");
  }
  return text.empty() ? "none, the list is empty" : text;
}

}  // namespace tilescope
