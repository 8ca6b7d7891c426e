#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The role of a kernel in the catalogue.
enum class KernelRole { rung, exhibit, baseline, micro };
std::string to_string(KernelRole role);

/// The library that a kernel uses.
enum class KernelLibrary {
  none,
  /// Headers that its .cu file includes.
  cutlass,
  /// Launches its own kernels: the declaration has no launch geometry.
  cublas,
  /// Launched by cuDNN.
  cudnn,
};
std::string to_string(KernelLibrary library);
/// The usual spelling: "cuBLAS".
std::string proper_name(KernelLibrary library);

/// Result of a kernel from Q, K and V, which decides its reference.
enum class KernelResult {
  /// O [B, Hq, Sq, D]
  attention,
  /// Q K^T / sqrt(D), [B, Hq, Sq, Sk], without a mask
  scores,
};
std::string to_string(KernelResult result);

/// One slider: a macro of the kernel and the values that it may take.
struct ParameterDeclaration {
  std::string name;
  std::vector<ParameterValue> values;
  ParameterValue default_value;
  std::string help;

  bool declares(const ParameterValue& value) const;
  /// "BLOCK_M = 7 is not one of 8, 16, 32"
  std::string why_undeclared(const ParameterValue& value) const;

  bool operator==(const ParameterDeclaration&) const = default;
};

/// An expression that has a name, so that what repeats in a declaration is written once.
struct NamedExpression {
  std::string name;
  std::string expression;

  bool operator==(const NamedExpression&) const = default;
};

/// A condition on parameters, shape and device, with the text that is shown when it does not hold.
struct Constraint {
  /// In muParser's syntax; profiler/kernels/catalogue/expression.hpp lists the names.
  std::string expression;
  std::string text;

  bool operator==(const Constraint&) const = default;
};

/// One argument of the kernel's signature.
struct ArgumentDeclaration {
  /// One of argument_types().
  std::string type;
  /// For a pointer one of pointer_values(), for a number an expression; else "".
  std::string value;
  /// Size of scratch memory, an expression [B]. The memory is zeros before the first launch.
  std::string bytes;

  bool operator==(const ArgumentDeclaration&) const = default;
};

/// How the elements of a tile lie in it.
struct LayoutDeclaration {
  /// Expressions.
  std::string rows, columns;
  /// Expression [B]; "" for ELEMENT_BYTES.
  std::string element_bytes;
  /// Expression [elements] from one row to the next; "" for the columns.
  std::string pitch;
  /// Expression that may also use ROW, COLUMN and PITCH: the place of an element, in elements from the start of the
  /// tile; "" for ROW * PITCH + COLUMN.
  std::string index;

  bool operator==(const LayoutDeclaration&) const = default;
};

/// A tile in the kernel's dynamic shared memory, which gives the addresses there a name.
struct TileDeclaration {
  /// "K"
  std::string name;
  /// Expression [B].
  std::string bytes;
  /// Expression [B] from the start of dynamic shared memory; "" for right after the previous tile.
  std::string offset;
  /// None if rows and columns are not declared.
  std::optional<LayoutDeclaration> layout = std::nullopt;

  bool operator==(const TileDeclaration&) const = default;
};

/// Task of a part of an attention kernel.
enum class KernelPhase { load, scores, softmax, accumulate, store };
std::string to_string(KernelPhase phase);

/// The functions of the source that belong to a phase, by their names without classes and arguments.
struct PhaseDeclaration {
  KernelPhase phase = KernelPhase::load;
  std::vector<std::string> functions;

  bool operator==(const PhaseDeclaration&) const = default;
};

/// A description of an exhibit's fault.
struct ExhibitCard {
  /// How the fault looks from outside.
  std::string looks;
  /// Where Tilescope shows it.
  std::string shown;
  /// Repair of the fault.
  std::string repair;
  /// Diagnosis::kind that names the fault; "" for none.
  std::string diagnosis{};

  bool operator==(const ExhibitCard&) const = default;
};

/// Everything that Tilescope knows about a kernel before compiling it. It is declared in the kernel's own file, in the
/// comment that starts with "tilescope-kernel", or in a .json file beside it. If a library launches the kernel, grid,
/// threads, shared memory, arguments and tiles are left out, and a .json file alone declares it.
struct KernelDeclaration {
  std::string name;
  KernelRole role = KernelRole::rung;
  /// Its place on the ladder, from 1; 0 if not declared.
  int rung = 0;
  /// One line for pickers.
  std::string title;
  KernelLibrary library = KernelLibrary::none;
  KernelResult result = KernelResult::attention;
  /// The extern "C" function; "" if a library provides all kernels.
  std::string entry;
  std::vector<DataType> dtypes;
  std::vector<ParameterDeclaration> parameters;
  /// "let": names that the other expressions may use, each with an expression over the parameters, the shape, the
  /// device and the names before it. They do not become macros of the code.
  std::vector<NamedExpression> lets;
  std::vector<Constraint> constraints;
  /// Expressions, in blocks.
  std::array<std::string, 3> grid;
  /// Expression: consecutive blocks along x that produce one result together; "" for 1. A sample of the grid takes
  /// whole groups.
  std::string block_group;
  /// Expression: threads per block.
  std::string threads;
  /// Expression, [B].
  std::string dynamic_shared_bytes;
  std::vector<ArgumentDeclaration> arguments;
  /// Optional, in memory order.
  std::vector<TileDeclaration> tiles;
  /// Optional: for panels that show what a warp does. Without it functions belong to the phase whose name they have.
  std::vector<PhaseDeclaration> phases;
  /// The shape_macros() that the code gets besides its parameters. If not declared, a kernel that takes an
  /// attention_problem or that a library launches gets all, any other none.
  std::vector<std::string> macros;
  /// For an exhibit.
  std::optional<ExhibitCard> card;
  std::filesystem::path source_path;
  /// Source compiled instead of the file: an experiment may carry its source.
  std::optional<SourceFile> carried_source;

  /// Whether a library launches it, with its own grid. Then there is nothing to compile for a configuration, nothing to
  /// interpret, and no occupancy.
  bool is_launched_by_library() const;
  /// Whether an AttentionProblem (kernels/device/attention_problem.cuh) is among its arguments.
  bool takes_attention_problem() const;
  const ParameterDeclaration* find_parameter(const std::string& parameter) const;
  /// The defaults, overridden by `chosen`. Names and values are not checked: see check_values.
  Configuration complete(const Configuration& chosen) const;

  bool operator==(const KernelDeclaration&) const = default;
};

/// "attention_problem" (kernels/device/attention_problem.cuh), "pointer", "int8" to "int64", "uint8" to "uint64",
/// "float32", "float64"
const std::vector<std::string>& argument_types();
/// "Q", "K", "V", "O", "LSE", "scratch", "null"
const std::vector<std::string>& pointer_values();

/// The macros that pass the shape to a kernel's code: HEAD_DIM (D), CAUSAL (0 or 1), DTYPE (fp16 or bf16).
const std::vector<std::string>& shape_macros();

/// A declaration that cannot be used: the message has the file, and each error with its place.
class DeclarationError : public std::runtime_error {
 public:
  explicit DeclarationError(const std::string& message, std::string kernel = "")
      : std::runtime_error(message), kernel_(std::move(kernel)) {}

  /// The declared name of the kernel, "" if it could not be read.
  const std::string& kernel() const { return kernel_; }

 private:
  std::string kernel_;
};

/// Whether a .cu file is a kernel of the catalogue: it has the comment, or the .json file beside it.
bool declares_kernel(const std::filesystem::path& cu_file);

/// Reads the declaration of a .cu file, from its own comment or from the .json file of the same name beside it; a
/// library's kernel has its .json file alone. Throws DeclarationError when there is neither, or with all errors of the
/// declaration.
KernelDeclaration read_kernel_declaration(const std::filesystem::path& source);

Json to_json_document(const KernelDeclaration& declaration);
/// Reads the declaration from such a document. Throws DeclarationError.
KernelDeclaration kernel_declaration_from(const Json& json, const std::filesystem::path& source);

}  // namespace tilescope
