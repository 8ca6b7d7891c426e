#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/catalogue/nearest_names.hpp"

namespace tilescope {

/// A name that is not there: the message names the nearest right ones.
class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file whose declaration cannot be used. The other kernels of the catalogue do not suffer from it.
struct BrokenKernel {
  std::string name;  ///< As it is declared, or else the file's name without its extension.
  std::filesystem::path source_path;
  std::string error;  ///< All that is wrong with the declaration, with file and lines.

  bool operator==(const BrokenKernel&) const = default;
};

/// All kernels under a folder, each declared in its own file: the ladder from its foot, then exhibits, baselines and
/// microbenchmarks.
class Catalogue {
 public:
  /// Reads every declared .cu file under `kernels`, and every .json file there that declares a library's kernel; folders
  /// of tests and benchmarks are left out. Of kernels of one name the one whose file has that name keeps it, without such
  /// a file none does; the others are broken. Throws DeclarationError when the folder cannot be read.
  explicit Catalogue(const std::filesystem::path& kernels);

  const std::vector<KernelDeclaration>& kernels() const { return kernels_; }
  const std::vector<BrokenKernel>& broken() const { return broken_; }

  /// A kernel by its name, or read from the path of a .cu file. Throws UnknownName, or DeclarationError for a broken one.
  KernelDeclaration find(const std::string& name_or_path) const;

 private:
  void read(const std::filesystem::path& file);
  void resolve_duplicates();

  std::vector<KernelDeclaration> kernels_;
  std::vector<BrokenKernel> broken_;
};

/// {"kernels": [...], "broken_kernels": [{"name", "source", "error"}]}
Json to_json_document(const Catalogue& catalogue);

/// Throws UnknownName for a parameter that the kernel does not declare, or a value that means nothing to it
/// (a name that it does not have, a word for a number), with the nearest right ones. A number that is not
/// among the declared ones is an illegal configuration, not an unknown value: why_invalid says so.
void check_values(const KernelDeclaration& kernel, const Configuration& chosen);

}  // namespace tilescope
