#include "app/commands/experiment_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/commands/command.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/shape_argument.hpp"
#include "base/regular_file.hpp"

namespace tilescope {

namespace {

constexpr std::uint64_t largest_kernel_file = std::uint64_t{64} << 20;  // [B]

bool is_file_name(const std::string& name_or_path) {
  return std::filesystem::path(name_or_path).extension() == ".cu";
}

// Throws if the file cannot be a kernel at all. A faulty declaration is an error of the kernel, reported
// elsewhere.
void require_kernel_file(const std::filesystem::path& file) {
  read_regular_file(file, largest_kernel_file);
  std::filesystem::path beside = file;
  if (std::filesystem::exists(beside.replace_extension(".json")))
    read_regular_file(beside, largest_kernel_file);
}

}  // namespace

KernelDeclaration find_kernel(const Catalogue& catalogue, const std::string& name_or_path) {
  const auto by_name = std::ranges::find(catalogue.kernels(), name_or_path, &KernelDeclaration::name);
  const bool is_file = by_name == catalogue.kernels().end() && is_file_name(name_or_path);
  if (is_file) require_kernel_file(name_or_path);
  try {
    return catalogue.find(name_or_path);
  } catch (const UnknownName& error) {
    throw WrongUsage(error.what());
  } catch (const DeclarationError& error) {
    if (is_file && !declares_kernel(name_or_path)) throw UnreadableInput(error.what());
    throw;
  }
}

void complete_parameters(const KernelDeclaration& kernel, Experiment& experiment) {
  try {
    check_values(kernel, experiment.parameters);
  } catch (const UnknownName& error) {
    throw WrongUsage(error.what());
  }
  experiment.parameters = kernel.complete(experiment.parameters);
}

void ExperimentOptions::declare(CLI::App& app) {
  app.add_option("KERNEL", kernel_, "A name from `tilescope kernels`, or the path of a .cu file")
      ->required()
      ->type_name("");
  app.add_option("--set", settings_,
                 "A parameter's value; other parameters have their defaults. May be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  declare_conditions(app);
}

void ExperimentOptions::declare_conditions(CLI::App& app) {
  app.add_option("--shape", shape_, "Sizes of the problem: 1,8,512,64 (default), 1,32/8,512/4096,128")
      ->type_name("B,H,S,D");
  app.add_flag("--causal", causal_, "Query i sees keys up to i + (Sk - Sq)");
  app.add_option("--dtype", dtype_, "fp16 (default) or bf16")->type_name("TYPE");
  app.add_option("--device", device_,
                 "A device of `tilescope devices`; default: this machine's GPU, or the L4 without one")
      ->type_name("NAME");
  add_whole_option(app, "--seed", seed_, "Input random seed (default 1)");
  app.add_option("--blocks", blocks_,
                 "The blocks that are interpreted: auto (default: representative ones, counts are scaled), "
                 "all, or a number")
      ->type_name("auto|all|N");
  app.add_option(
         "--compiler", compiler_,
         "What compiles the kernel: nvrtc (default), or nvcc of a CUDA Toolkit, which can make other code")
      ->type_name("nvrtc|nvcc");
  add_seconds_option(app, "--time-budget", time_budget_s_,
                     "Time for the L2-warm series, half of it for the L2-cold one; a noisy one takes up to "
                     "4x (default 0.3)");
  add_seconds_option(app, "--time-limit", time_limit_s_,
                     "A point that takes longer ends as timed_out (default 120)");
}

std::pair<std::string, std::string> split_assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw WrongUsage(
        fmt::format("{} '{}': give a name and a value, as in {} BLOCK_M=64", option, text, option));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Configuration ExperimentOptions::chosen_parameters() const {
  Configuration chosen;
  for (const std::string& setting : settings_) {
    const auto [name, value] = split_assignment("--set", setting);
    const bool is_new = chosen.emplace(name, parameter_value_from(value)).second;
    if (!is_new) throw WrongUsage(fmt::format("--set gives '{}' twice: give it once", name));
  }
  return chosen;
}

bool ExperimentOptions::sets(const std::string& parameter) const {
  return chosen_parameters().contains(parameter);
}

KernelDeclaration ExperimentOptions::find_kernel(const Installation& installation) const {
  return tilescope::find_kernel(Catalogue(installation.kernels), kernel_);
}

Experiment ExperimentOptions::unchecked_experiment() const {
  Experiment experiment = conditions();
  experiment.kernel = kernel_;
  experiment.parameters = chosen_parameters();
  return experiment;
}

Experiment ExperimentOptions::conditions() const {
  Experiment experiment;
  try {
    experiment.shape.dtype = data_type_from(dtype_);
  } catch (const std::invalid_argument& error) {
    throw WrongUsage(std::string("--dtype: ") + error.what());
  }
  if (!shape_.empty()) read_shape_argument(shape_, experiment.shape);
  experiment.shape.causal = causal_;
  experiment.device = device_;
  experiment.seed = seed_;
  try {
    experiment.blocks = block_choice_from(blocks_);
  } catch (const std::invalid_argument& error) {
    throw WrongUsage(std::string("--blocks: ") + error.what());
  }
  try {
    experiment.compiler = kernel_compiler_from(compiler_);
  } catch (const std::invalid_argument& error) {
    throw WrongUsage(std::string("--compiler: ") + error.what());
  }
  experiment.timing_budget_s = time_budget_s_;
  return experiment;
}

Experiment ExperimentOptions::experiment(const KernelDeclaration& kernel) const {
  Experiment experiment = unchecked_experiment();
  complete_parameters(kernel, experiment);
  return experiment;
}

std::chrono::milliseconds time_limit_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(1000 * seconds)));
}

std::chrono::milliseconds ExperimentOptions::time_limit() const {
  return time_limit_of(time_limit_s_);
}

}  // namespace tilescope
