#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sessions/experiment.hpp"
#include "sessions/json.hpp"

namespace tilescope {

/// What a kernel is in the catalogue.
enum class KernelRole { rung, exhibit, baseline, micro };
std::string to_string(KernelRole role);

/// The library that a kernel is made with.
enum class KernelLibrary {
  none,
  cutlass,  ///< Headers that its .cu file includes.
  cublas,   ///< Launches kernels of its own: the declaration has no launch geometry.
  cudnn,    ///< The same.
};
std::string to_string(KernelLibrary library);
/// As a person writes it: "cuBLAS".
std::string proper_name(KernelLibrary library);

/// What a kernel computes of Q, K and V: what its result is checked against.
enum class KernelResult {
  attention,  ///< O [B, Hq, Sq, D]
  scores,     ///< Q K^T / sqrt(D), [B, Hq, Sq, Sk], without a mask
};
std::string to_string(KernelResult result);

/// One slider: a macro of the kernel and the values that it may take.
struct ParameterDeclaration {
  std::string name;
  std::vector<ParameterValue> values;
  ParameterValue default_value;
  std::string help;

  bool declares(const ParameterValue& value) const;
  /// "BLOCK_M cannot be '7'; it is one of 8, 16, 32"
  std::string why_undeclared(const ParameterValue& value) const;

  bool operator==(const ParameterDeclaration&) const = default;
};

/// An expression that has a name, so that what repeats in a declaration is written once.
struct NamedExpression {
  std::string name;
  std::string expression;

  bool operator==(const NamedExpression&) const = default;
};

/// A condition on parameters, shape and device, with the sentence that is shown when it does not hold.
struct Constraint {
  std::string expression;  ///< Of muParser, see profiler/catalogue/expression.hpp for the names in it.
  std::string text;

  bool operator==(const Constraint&) const = default;
};

/// One argument of the kernel's signature.
struct ArgumentDeclaration {
  std::string type;   ///< Of argument_types().
  std::string value;  ///< Of a pointer one of pointer_values(); of a number an expression; else "".
  std::string bytes;  ///< Of scratch memory, zeros before the first launch: its size, an expression [B].

  bool operator==(const ArgumentDeclaration&) const = default;
};

/// A tile that the kernel keeps in its dynamic shared memory: what names the addresses there.
struct TileDeclaration {
  std::string name;   ///< "K"
  std::string bytes;  ///< Expression [B].
  std::string
      offset;  ///< Expression [B] from the start of dynamic shared memory; "" for behind the tile before it.

  bool operator==(const TileDeclaration&) const = default;
};

/// What a person should know of an exhibit's fault.
struct ExhibitCard {
  std::string looks;   ///< What the fault looks like from outside.
  std::string shown;   ///< Where Tilescope shows it.
  std::string repair;  ///< What repairs it.

  bool operator==(const ExhibitCard&) const = default;
};

/// Everything that Tilescope knows of a kernel before it compiles it: declared in the kernel's own file, in
/// the comment that starts with "tilescope-kernel", or in a .json file beside it. Where a library launches it, grid,
/// threads, shared memory, arguments and tiles are left out, and a .json file alone declares it.
struct KernelDeclaration {
  std::string name;
  KernelRole role = KernelRole::rung;
  int rung = 0;       ///< Its place on the ladder, from 1; 0 where it is not said.
  std::string title;  ///< One line for pickers.
  KernelLibrary library = KernelLibrary::none;
  KernelResult result = KernelResult::attention;
  std::string entry;  ///< The extern "C" function; "" where a library brings all kernels.
  std::vector<DataType> dtypes;
  std::vector<ParameterDeclaration> parameters;
  /// "let": names that the other expressions may use, each with an expression over the parameters, the shape, the
  /// device and the names before it. They are no macros of the code.
  std::vector<NamedExpression> lets;
  std::vector<Constraint> constraints;
  std::array<std::string, 3> grid;  ///< Expressions, in blocks.
  std::string block_group;          ///< Expression: consecutive blocks along x that make one result together;
                                    ///< "" for 1. A sample of the grid takes whole groups.
  std::string threads;              ///< Expression: threads per block.
  std::string dynamic_shared_bytes;  ///< Expression, [B].
  std::vector<ArgumentDeclaration> arguments;
  std::vector<TileDeclaration> tiles;  ///< Optional, in the order in which they lie.
  std::vector<std::string>
      macros;  ///< Of shape_macros(): those that the code gets besides its parameters. Not
               ///< declared, a kernel that takes an attention_problem or that a library
               ///< launches gets all, any other none.
  std::optional<ExhibitCard> card;  ///< Of an exhibit.
  std::filesystem::path source_path;

  /// Whether a library launches it, with a grid of its own: nothing to compile for a configuration, to interpret or to
  /// compute an occupancy for.
  bool is_launched_by_library() const;
  /// Whether an AttentionProblem (kernels/device/attention_problem.cuh) is among its arguments.
  bool takes_attention_problem() const;
  const ParameterDeclaration* find_parameter(const std::string& parameter) const;
  /// The defaults, with `chosen` over them. Names and values are not judged: see check_values.
  Configuration complete(const Configuration& chosen) const;
};

/// "attention_problem" (kernels/device/attention_problem.cuh), "pointer", "int8" to "int64", "uint8" to "uint64",
/// "float32", "float64"
const std::vector<std::string>& argument_types();
/// "Q", "K", "V", "O", "LSE", "scratch", "null"
const std::vector<std::string>& pointer_values();

/// The macros by which a kernel's code learns its shape: HEAD_DIM (D), CAUSAL (0 or 1), DTYPE (fp16 or bf16).
const std::vector<std::string>& shape_macros();

/// A declaration that cannot be used: the message has the file, the places in it and what is wrong there.
class DeclarationError : public std::runtime_error {
 public:
  explicit DeclarationError(const std::string& message, std::string kernel = "")
      : std::runtime_error(message), kernel_(std::move(kernel)) {}

  /// The name that the declaration gives the kernel, "" where it could not be read.
  const std::string& kernel() const { return kernel_; }

 private:
  std::string kernel_;
};

/// Whether a .cu file is a kernel of the catalogue: it has the comment, or the .json file beside it.
bool declares_kernel(const std::filesystem::path& cu_file);

/// Reads the declaration of a .cu file, from its own comment or from the .json file of the same name beside
/// it, or that of a library's kernel from its .json file. Throws DeclarationError when there is neither, or with all that
/// is wrong with what is there.
KernelDeclaration read_kernel_declaration(const std::filesystem::path& source);

Json to_json_document(const KernelDeclaration& declaration);
/// The kernel of such a document. Throws DeclarationError.
KernelDeclaration kernel_declaration_from(const Json& json, const std::filesystem::path& source);

}  // namespace tilescope
