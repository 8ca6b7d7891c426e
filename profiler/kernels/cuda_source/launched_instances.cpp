#include "profiler/kernels/cuda_source/launched_instances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiler/kernels/cuda_source/cpp_types.hpp"

namespace tilescope {
namespace {

struct NumberOfName {
  std::string_view part;
  double value;
};
// The first part that a name has in lower case decides.
constexpr std::array<NumberOfName, 24> numbers_of_names = {{
    {"pad", 0},     {"stage", 2},  {"warps", 4},  {"nwarp", 4},      {"warp_size", 32}, {"warpsize", 32},
    {"pack", 4},    {"vec", 4},    {"unroll", 4}, {"per_thread", 4}, {"bits", 4},       {"thread", 256},
    {"block", 256}, {"tile", 16},  {"group", 32}, {"head", 64},      {"dim", 64},       {"width", 4},
    {"radius", 4},  {"size", 128}, {"stride", 1}, {"offset", 0},     {"warp", 32},      {"bk", 8},
}};

// BLOCK_SIZE_M, THREAD_SIZE_Y, BLOCK_X: one extent of a tile. The usual ones fit together: 128 x 128 results of a block, 8 x 8
// of each of its 256 threads, which load a tile of depth 8 in 4 numbers each.
std::optional<double> extent_of_name(const std::string& name) {
  if (name.size() < 3 || name[name.size() - 2] != '_') return std::nullopt;
  const bool is_of_thread =
      name.find("thread") != std::string::npos && name.find("threads") == std::string::npos;
  const bool is_of_block = name.find("block") != std::string::npos;
  switch (name.back()) {
    case 'm':
    case 'n':
      if (is_of_thread) return 8;
      if (is_of_block) return 128;
      break;
    case 'k':
      if (is_of_block && !is_of_thread) return 8;
      break;
    case 'x':
    case 'y':
      if (is_of_thread) return 8;
      if (is_of_block) return 16;
      break;
    default:
      break;
  }
  return std::nullopt;
}

double number_of_name(std::string name, const std::string& kind) {
  if (kind == "bool") return 0;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (const auto extent = extent_of_name(name)) return *extent;
  for (const NumberOfName& known : numbers_of_names)
    if (name.find(known.part) != std::string::npos) return known.value;
  if (name.starts_with("t") && name.size() == 2) return 4;  // TM, TN: elements of a thread
  if (name.starts_with("k")) return 8;
  return name.size() <= 2 ? 64 : 4;
}

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::vector<std::string> names_in(const std::string& expression) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && is_name_letter(expression[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(expression[at])) == 0)
      names.push_back(expression.substr(at, end - at));
    at = end;
  }
  return names;
}

bool is_name(const std::string& text) {
  const std::vector<std::string> names = names_in(text);
  return names.size() == 1 && names.front() == text;
}

bool is_type(const SourceTemplateParameter& parameter) {
  return parameter.kind == "typename" || parameter.kind == "class";
}

bool is_literal(const std::string& text) {
  if (text == "true" || text == "false") return true;
  return names_in(text).empty();
}

using Sources = std::vector<std::shared_ptr<const CudaSource>>;

class InstanceFinder {
 public:
  InstanceFinder(const Sources& sources, std::string unknown_type, const std::vector<std::string>& first)
      : sources_(sources), unknown_type_(std::move(unknown_type)), first_(first.begin(), first.end()) {}

  LaunchedInstances find() {
    if (!first_.empty()) add_launches([this](const std::string& kernel) { return first_.contains(kernel); });
    add_launches([](const std::string&) { return true; });
    for (const auto& source : sources_)
      for (const SourceKernel& kernel : source->kernels())
        if (!kernel.template_parameters.empty() && !launched_.contains(kernel.name))
          add(kernel, complete(kernel, {}));
    return std::move(instances_);
  }

 private:
  template <typename IsWanted>
  void add_launches(const IsWanted& is_wanted) {
    // Each is evaluated; few files have so many.
    constexpr std::size_t max_launches = 1000;
    std::size_t launches = 0;
    for (const auto& source : sources_)
      for (const SourceLaunch& launch : source->launches())
        if (++launches <= max_launches && is_wanted(launch.kernel)) add_launch(*source, launch);
  }

  const SourceKernel* kernel_named(const std::string& name) const {
    for (const auto& source : sources_) {
      const auto found = std::ranges::find(source->kernels(), name, &SourceKernel::name);
      if (found != source->kernels().end()) return &*found;
    }
    return nullptr;
  }

  void add_launch(const CudaSource& source, const SourceLaunch& launch) {
    const SourceKernel* const kernel = kernel_named(launch.kernel);
    if (kernel == nullptr || kernel->template_parameters.empty()) return;
    launched_.insert(kernel->name);
    const std::vector<std::string> plain = source.evaluate(launch, {}, nullptr).template_arguments;
    const std::map<std::string, double> chosen = numbers_for(*kernel, plain);
    add(*kernel,
        complete(*kernel,
                 chosen.empty()
                     ? plain
                     : merged(*kernel, plain, source.evaluate(launch, chosen, nullptr).template_arguments)));
  }

  // Numbers for the names that have none.
  static std::map<std::string, double> numbers_for(const SourceKernel& kernel,
                                                   const std::vector<std::string>& arguments) {
    std::map<std::string, double> numbers;
    for (std::size_t i = 0; i < std::min(arguments.size(), kernel.template_parameters.size()); ++i) {
      const SourceTemplateParameter& parameter = kernel.template_parameters[i];
      if (is_type(parameter) || parameter.kind == "template" || is_literal(arguments[i])) continue;
      for (const std::string& name : names_in(arguments[i]))
        numbers.emplace(name, number_of_name(name, parameter.kind));
    }
    return numbers;
  }

  static std::vector<std::string> merged(const SourceKernel& kernel, std::vector<std::string> plain,
                                         const std::vector<std::string>& numbers) {
    for (std::size_t i = 0; i < std::min(plain.size(), numbers.size()); ++i)
      if (i < kernel.template_parameters.size() && !is_type(kernel.template_parameters[i]))
        plain[i] = numbers[i];
    return plain;
  }

  // A functor of the file is a type, and the host function's parameter T is not one.
  static bool is_unknown_type(const std::string& argument) {
    if (argument.find("scalar_t") != std::string::npos) return true;
    const bool looks_like_parameter = argument.size() <= 2 || argument.ends_with("T") ||
                                      argument.ends_with("_t") || argument.ends_with("type") ||
                                      argument.starts_with("T_");
    return is_name(argument) && !size_of_type(argument) && !arithmetic_type(argument) && looks_like_parameter;
  }

  // Sums of halves are floats: acc_t, accscalar_t, compute_type.
  std::string type_for(std::string name) const {
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    const bool is_of_sums =
        name.find("acc") != std::string::npos || name.find("compute") != std::string::npos;
    return is_of_sums ? "float" : unknown_type_;
  }

  std::vector<std::string> complete(const SourceKernel& kernel, std::vector<std::string> arguments) const {
    const std::vector<SourceTemplateParameter>& parameters = kernel.template_parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const SourceTemplateParameter& parameter = parameters[i];
      if (i < arguments.size()) {
        if (is_type(parameter) && is_unknown_type(arguments[i])) arguments[i] = type_for(parameter.name);
        continue;
      }
      if (!parameter.default_value.empty() || parameter.kind == "template") break;
      arguments.push_back(is_type(parameter)
                              ? type_for(parameter.name)
                              : fmt::format("{:.0f}", number_of_name(parameter.name, parameter.kind)));
    }
    return arguments;
  }

  void add(const SourceKernel& kernel, const std::vector<std::string>& arguments) {
    std::string name = fmt::format("{}<{}>", kernel.name, fmt::join(arguments, ", "));
    if (!seen_.insert(name).second) return;
    if (instances_.names.size() < LaunchedInstances::max_instances) {
      instances_.names.push_back(std::move(name));
    } else {
      ++instances_.left_out;
    }
  }

  const Sources& sources_;
  std::string unknown_type_;
  std::set<std::string> first_;
  std::set<std::string> launched_, seen_;
  LaunchedInstances instances_;
};

}  // namespace

LaunchedInstances launched_instances(const Sources& sources, const std::string& unknown_type,
                                     const std::vector<std::string>& first) {
  return InstanceFinder(sources, unknown_type, first).find();
}

}  // namespace tilescope
