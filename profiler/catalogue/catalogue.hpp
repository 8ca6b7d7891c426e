#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// A name that is not there: the message names the nearest right ones.
class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// All kernels under a folder, each declared in its own file: the ladder from its foot, then exhibits, baselines and
/// microbenchmarks.
class Catalogue {
 public:
  /// Reads every declared .cu file under `kernels`, and every .json file there that declares a library's kernel; folders
  /// of tests and benchmarks are left out. Throws DeclarationError on two kernels of one name, with
  /// both files.
  explicit Catalogue(const std::filesystem::path& kernels);

  const std::vector<KernelDeclaration>& kernels() const { return kernels_; }

  /// A kernel by its name, or read from the path of a .cu file. Throws UnknownName or DeclarationError.
  KernelDeclaration find(const std::string& name_or_path) const;

 private:
  std::vector<KernelDeclaration> kernels_;
};

/// Throws UnknownName for a parameter that the kernel does not declare, or a value that means nothing to it
/// (a name that it does not have, a word for a number), with the nearest right ones. A number that is not
/// among the declared ones is an illegal configuration, not an unknown value: why_invalid says so.
void check_values(const KernelDeclaration& kernel, const Configuration& chosen);

/// The candidates nearest to `name` by edit distance, nearest first, as "'a', 'b' or 'c'".
std::string nearest_names(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace tilescope
