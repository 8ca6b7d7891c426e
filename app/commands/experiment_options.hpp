#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/experiment.hpp"

namespace CLI {
class App;
}

namespace tilescope {

/// A kernel by its name or the path of its file. Throws WrongUsage for an unknown name, UnreadableInput for a file that is
/// missing or declares no kernel, DeclarationError for a declaration that is invalid.
KernelDeclaration find_kernel(const Catalogue& catalogue, const std::string& name_or_path);

/// Checks the values of an experiment against its kernel's declaration and fills the defaults in. Throws WrongUsage.
void complete_parameters(const KernelDeclaration& kernel, Experiment& experiment);

/// The options that say what to measure, shared by every command that measures.
class ExperimentOptions {
 public:
  void declare(CLI::App& app);
  /// All but the kernel and its parameters, for a command that names these in another way.
  void declare_conditions(CLI::App& app);

  /// Looks every name up and puts the experiment together; its device is left as it was given. Throws
  /// WrongUsage for names and sizes that are not right. A kernel's file that cannot be read as a kernel
  /// throws DeclarationError.
  Experiment experiment(const KernelDeclaration& kernel) const;
  KernelDeclaration find_kernel(const Installation& installation) const;
  /// The experiment as far as it is known without the kernel's declaration, for the point of a kernel whose declaration
  /// is invalid.
  Experiment unchecked_experiment() const;
  /// Without a kernel and its parameters. Throws WrongUsage for names and sizes that are not right.
  Experiment conditions() const;

  /// As it was given.
  const std::string& kernel() const { return kernel_; }
  std::chrono::milliseconds time_limit() const;
  /// Whether --set names this parameter.
  bool sets(const std::string& parameter) const;

 private:
  Configuration chosen_parameters() const;

  std::string kernel_;
  std::vector<std::string> settings_;
  std::string shape_;
  bool causal_ = false;
  std::string dtype_ = "fp16";
  std::string device_;
  std::uint64_t seed_ = 1;
  std::string blocks_ = "auto";
  std::string compiler_ = "nvrtc";
  double time_budget_s_ = Experiment{}.timing_budget_s;
  double time_limit_s_ = 120;
};

/// The seconds of --time-limit. Throws WrongUsage.
std::chrono::milliseconds time_limit_of(double seconds);

/// Splits "NAME=VALUE"; `option` is named in errors. Throws WrongUsage without a name or a '='.
std::pair<std::string, std::string> split_assignment(const std::string& option, const std::string& text);

}  // namespace tilescope
