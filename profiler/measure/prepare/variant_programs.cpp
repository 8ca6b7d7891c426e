#include "profiler/measure/prepare/variant_programs.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/launch_identity.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope {
namespace {

// Nearest first: the values declared after the one of the point, then those before it.
std::vector<ParameterValue> other_values(const ParameterDeclaration& parameter, const ParameterValue& here) {
  const auto at = std::ranges::find(parameter.values, here);
  std::vector<ParameterValue> values;
  if (at == parameter.values.end()) return values;
  values.assign(at + 1, parameter.values.end());
  values.insert(values.end(), std::make_reverse_iterator(at), parameter.values.rend());
  return values;
}

// "BLOCK_M=32 NUM_WARPS=4": the parameters in which `other` differs; of another kernel all.
std::string differing(const Configuration& other, const Configuration* here) {
  std::string text;
  for (const auto& [name, value] : other) {
    if (here != nullptr && here->contains(name) && here->at(name) == value) continue;
    text += (text.empty() ? "" : " ") + name + "=" + to_string(value);
  }
  return text;
}

}  // namespace

std::string program_identity(const Prepared& kernel, const Configuration& complete,
                             const std::string& sass_sha256) {
  const Shape& shape = kernel.shape();
  return sha256(sass_sha256 + " " + kernel.device.name + " " +
                launch_identity(kernel.kernel, complete, shape, kernel.device) + " " + Json(shape).dump());
}

VariantPrograms::VariantPrograms(Workbench& bench, const Prepared& kernel) : bench_(bench), kernel_(kernel) {
  // nvcc takes seconds for each.
  const bool is_compiled = !kernel.kernel.is_launched_by_library() && !kernel.kernel.entry.empty() &&
                           kernel.kernel.library == KernelLibrary::none &&
                           kernel.experiment.compiler == KernelCompiler::nvrtc;
  if (!is_compiled || kernel.compiled.resources.sass_sha256.empty()) return;
  here_ = program_identity(kernel, kernel.complete, kernel.compiled.resources.sass_sha256);
  for (const ParameterDeclaration& parameter : kernel.kernel.parameters) {
    ParameterVariants variants{parameter.name, {}, {}};
    for (const ParameterValue& value : other_values(parameter, kernel.complete.at(parameter.name))) {
      Configuration other = with(kernel.complete, parameter.name, value);
      if (is_valid(other)) variants.others.push_back(std::move(other));
    }
    if (variants.others.empty()) continue;
    // Another launch is an effect, whatever the code is.
    if (program_identity(kernel, variants.others.front(), kernel.compiled.resources.sass_sha256) != here_)
      continue;
    variants.compiling.push_back(begin(variants.others.front()));
    variants_.push_back(std::move(variants));
  }
}

std::vector<EqualValues> VariantPrograms::equal_values(const MeasureControl& control) {
  std::vector<EqualValues> found;
  for (ParameterVariants& each : variants_) {
    if (control.cancelled()) return {};
    if (identity_of(each.others.front(), each.compiling.front(), control) != here_) continue;
    for (std::size_t i = 1; i < each.others.size(); ++i) each.compiling.push_back(begin(each.others[i]));
    EqualValues equal{each.parameter, {}, true};
    for (std::size_t i = 0; i < each.others.size(); ++i) {
      const bool is_equal = identity_of(each.others[i], each.compiling[i], control) == here_;
      if (is_equal) equal.values.push_back(each.others[i].at(each.parameter));
      equal.are_all = equal.are_all && is_equal;
    }
    // Two values may coincide where another parameter makes them; with three or more, equality is not a
    // coincidence.
    if (equal.are_all && equal.values.size() == 1) equal.are_all = is_equal_elsewhere(each, control);
    found.push_back(std::move(equal));
  }
  if (control.cancelled()) return {};
  return found;
}

Configuration VariantPrograms::with(Configuration configuration, const std::string& parameter,
                                    const ParameterValue& value) const {
  configuration[parameter] = value;
  return configuration;
}

bool VariantPrograms::is_valid(const Configuration& complete) const {
  return why_invalid(kernel_.kernel, complete, kernel_.shape(), kernel_.device).empty();
}

CompilationAsker VariantPrograms::begin(const Configuration& complete) const {
  return bench_.compiler().begin(kernel_.kernel, complete, kernel_.shape(), kernel_.device.arch,
                                 CompileGoal::machine_code, kernel_.experiment.compiler);
}

std::string VariantPrograms::identity_of(const Configuration& complete, const CompilationAsker& compiling,
                                         const MeasureControl& control) const {
  try {
    return program_identity(kernel_, complete, compiling->wait(control.cancelled).resources.sass_sha256);
  } catch (const std::exception&) {
    return "";
  }
}

std::string VariantPrograms::identity_of(const Configuration& complete, const MeasureControl& control) const {
  return identity_of(complete, begin(complete), control);
}

bool VariantPrograms::is_equal_elsewhere(const ParameterVariants& variants,
                                         const MeasureControl& control) const {
  const ParameterValue& other = variants.others.front().at(variants.parameter);
  for (const ParameterDeclaration& parameter : kernel_.kernel.parameters) {
    if (parameter.name == variants.parameter) continue;
    for (const ParameterValue& value : other_values(parameter, kernel_.complete.at(parameter.name))) {
      const Configuration there = with(kernel_.complete, parameter.name, value);
      const Configuration changed = with(there, variants.parameter, other);
      if (!is_valid(there) || !is_valid(changed)) continue;
      const CompilationAsker compiling = begin(changed);
      const std::string identity = identity_of(there, control);
      if (identity.empty() || identity != identity_of(changed, compiling, control)) return false;
      break;
    }
  }
  return true;
}

std::vector<std::string> ProgramLedger::add(const std::string& identity, const Measurement& point) {
  std::vector<Entry>& same = entries_[identity];
  std::vector<std::string> others;
  for (auto entry = same.rbegin(); entry != same.rend(); ++entry) {
    const bool is_same_kernel = entry->kernel == point.kernel;
    if (is_same_kernel && entry->parameters == point.parameters) continue;
    const std::string values = differing(entry->parameters, is_same_kernel ? &point.parameters : nullptr);
    others.push_back(entry->kernel + (values.empty() ? "" : " with " + values));
  }
  const bool is_known = std::ranges::any_of(same, [&](const Entry& entry) {
    return entry.kernel == point.kernel && entry.parameters == point.parameters;
  });
  if (!is_known) same.push_back({point.kernel, point.parameters});
  return others;
}

}  // namespace tilescope
