#include "profiler/kernels/catalogue/catalogue.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

// The ladder from rung 1, then rungs without a number, then the other roles; otherwise unchanged.
bool comes_before(const KernelDeclaration& a, const KernelDeclaration& b) {
  const auto place = [](const KernelDeclaration& kernel) {
    return std::pair(kernel.role, kernel.rung > 0 ? kernel.rung : std::numeric_limits<int>::max());
  };
  return place(a) < place(b);
}

std::string why_duplicate(const KernelDeclaration& kernel,
                          const std::vector<const KernelDeclaration*>& of_the_name) {
  std::string others;
  for (const KernelDeclaration* other : of_the_name) {
    if (other != &kernel) others += (others.empty() ? "" : " and ") + other->source_path.string();
  }
  return kernel.source_path.string() + ": /name: '" + kernel.name + "' is also the name of " + others +
         ": give each kernel its own name";
}

// A .cu file, or the .json file of a library's kernel, which has no .cu file beside it.
bool may_declare(const std::filesystem::path& file) {
  if (file.extension() == ".cu") return true;
  return file.extension() == ".json" &&
         !std::filesystem::exists(std::filesystem::path(file).replace_extension(".cu"));
}

}  // namespace

std::vector<std::filesystem::path> declaration_files(const std::filesystem::path& kernels) {
  std::vector<std::filesystem::path> files;
  try {
    for (auto entry = std::filesystem::recursive_directory_iterator(kernels);
         entry != std::filesystem::recursive_directory_iterator(); ++entry) {
      const std::filesystem::path name = entry->path().filename();
      if (entry->is_directory() && (name == "tests" || name == "bench")) entry.disable_recursion_pending();
      const std::filesystem::path extension = name.extension();
      if (extension == ".cu" || extension == ".json") files.push_back(entry->path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw DeclarationError("the kernels cannot be read: " + std::string(error.what()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Catalogue::Catalogue(const std::filesystem::path& kernels) {
  for (const std::filesystem::path& file : declaration_files(kernels)) {
    if (may_declare(file)) read(file);
  }
  resolve_duplicates();
  std::stable_sort(kernels_.begin(), kernels_.end(), comes_before);
}

void Catalogue::read(const std::filesystem::path& file) {
  try {
    if (declares_kernel(file)) kernels_.push_back(read_kernel_declaration(file));
  } catch (const DeclarationError& error) {
    broken_.push_back({error.kernel().empty() ? file.stem().string() : error.kernel(), file, error.what()});
  }
}

void Catalogue::resolve_duplicates() {
  std::map<std::string, std::vector<const KernelDeclaration*>> by_name;
  for (const KernelDeclaration& kernel : kernels_) by_name[kernel.name].push_back(&kernel);
  std::set<std::filesystem::path> without_name;
  for (const auto& group : by_name) {
    const std::string& name = group.first;
    const std::vector<const KernelDeclaration*>& kernels = group.second;
    if (kernels.size() == 1) continue;
    const auto has_its_name = [&](const KernelDeclaration* one) { return one->source_path.stem() == name; };
    const bool is_decided = std::count_if(kernels.begin(), kernels.end(), has_its_name) == 1;
    for (const KernelDeclaration* kernel : kernels) {
      if (is_decided && has_its_name(kernel)) continue;
      without_name.insert(kernel->source_path);
      broken_.push_back({name, kernel->source_path, why_duplicate(*kernel, kernels)});
    }
  }
  std::erase_if(kernels_,
                [&](const KernelDeclaration& kernel) { return without_name.contains(kernel.source_path); });
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
  names.reserve(kernels_.size());
  for (const KernelDeclaration& kernel : kernels_) names.push_back(kernel.name);
  for (const BrokenKernel& kernel : broken_) {
    if (kernel.name == name_or_path || kernel.source_path.stem() == name_or_path) {
      throw DeclarationError(kernel.error, kernel.name);
    }
    names.push_back(kernel.name);
  }
  const std::string sentence =
      suggest_names("there is no kernel '" + name_or_path + "'", name_or_path, names);
  const bool is_question = sentence.ends_with('?');
  throw UnknownName(
      sentence +
      (is_question ? "" : "; `tilescope kernels` lists them, and the path of a .cu file works too"));
}

void check_values(const KernelDeclaration& kernel, const Configuration& chosen) {
  for (const auto& [name, value] : chosen) {
    const ParameterDeclaration* parameter = kernel.find_parameter(name);
    if (parameter == nullptr) {
      std::vector<std::string> names;
      names.reserve(kernel.parameters.size());
      for (const ParameterDeclaration& declared : kernel.parameters) names.push_back(declared.name);
      throw UnknownName(suggest_names(kernel.name + " has no parameter '" + name + "'", name, names));
    }
    const bool both_numbers = std::holds_alternative<std::int64_t>(value) &&
                              std::holds_alternative<std::int64_t>(parameter->default_value);
    if (!both_numbers && !parameter->declares(value)) throw UnknownName(parameter->why_undeclared(value));
  }
}

Json to_json_document(const Catalogue& catalogue) {
  Json kernels = Json::array(), broken = Json::array();
  for (const KernelDeclaration& kernel : catalogue.kernels()) kernels.push_back(to_json_document(kernel));
  for (const BrokenKernel& kernel : catalogue.broken()) {
    broken.push_back(
        {{"name", kernel.name}, {"source", kernel.source_path.filename().string()}, {"error", kernel.error}});
  }
  return {{"kernels", std::move(kernels)}, {"broken_kernels", std::move(broken)}};
}

}  // namespace tilescope
