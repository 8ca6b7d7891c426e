#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"

namespace tilescope {

/// An unknown name: the message has the known ones that are near.
class UnknownName : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file whose declaration cannot be used. Other kernels of the catalogue are not affected.
struct BrokenKernel {
  /// The declared name, or else the file's name without its extension.
  std::string name;
  std::filesystem::path source_path;
  /// All that is wrong with the declaration, with file and lines.
  std::string error;

  bool operator==(const BrokenKernel&) const = default;
};

/// The files under `kernels` of which a catalogue is made, in their order: .cu files, and .json files, which declare the
/// kernel of the .cu file beside them or of a library; none in folders of tests and benchmarks. Throws DeclarationError
/// when the folder cannot be read.
std::vector<std::filesystem::path> declaration_files(const std::filesystem::path& kernels);

/// All kernels under a folder, each declared in its own file: the ladder from rung 1, then exhibits, baselines and
/// microbenchmarks.
class Catalogue {
 public:
  /// Reads every declared .cu file of declaration_files, and every .json file that declares a library's kernel. If several kernels have one name, only the one whose file has that name keeps
  /// it, and the others are broken. Throws DeclarationError when the folder cannot be read.
  explicit Catalogue(const std::filesystem::path& kernels);

  const std::vector<KernelDeclaration>& kernels() const { return kernels_; }
  const std::vector<BrokenKernel>& broken() const { return broken_; }

  /// A kernel by its name, or read from the path of a .cu file. Throws UnknownName, or DeclarationError for a broken
  /// one.
  KernelDeclaration find(const std::string& name_or_path) const;

 private:
  void read(const std::filesystem::path& file);
  void resolve_duplicates();

  std::vector<KernelDeclaration> kernels_;
  std::vector<BrokenKernel> broken_;
};

/// {"kernels": [...], "broken_kernels": [{"name", "source", "error"}]}
Json to_json_document(const Catalogue& catalogue);

/// Throws UnknownName for a parameter that the kernel does not declare, or for a value that it cannot have (an unknown
/// name, or a word for a number), with known ones that are near. A number that is not among the declared ones is an
/// invalid configuration, not an unknown value: see why_invalid.
void check_values(const KernelDeclaration& kernel, const Configuration& chosen);

}  // namespace tilescope
