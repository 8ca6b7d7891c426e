#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// Parameter of a kernel, as it is declared.
struct SourceParameter {
  std::string type;         ///< "const float*": without __restrict__ and with single spaces
  std::string name;         ///< "" if it has none
  bool is_pointer = false;  ///< also for an array, "float a[]", which is passed as a pointer
  bool points_to_const = false;
  bool is_reference = false;  ///< A kernel's parameter cannot be a reference: nvcc rejects it.
  std::string element;        ///< the pointee without const, or the type of the value
  int line = 0;               ///< from 1
  std::string default_value;  ///< its expression, or ""
};

struct SourceTemplateParameter {
  std::string kind;           ///< "int", "typename", "bool", "template"
  std::string name;           ///< "" if it has none
  std::string default_value;  ///< its expression or type, or ""
};

/// Member of a structure; one of a structure inside it is its own: "position.x".
struct SourceMember {
  std::string name;
  std::string type;                     ///< "float *"
  std::uint64_t offset = 0, bytes = 0;  ///< [bytes] from the beginning of the outermost structure
};

/// Definition of a __global__ function. One that is only declared is not listed.
struct SourceKernel {
  std::string name;  ///< with its namespaces: "ns::kernel"
  int line = 0;      ///< from 1, of its name
  std::vector<SourceTemplateParameter> template_parameters;
  std::vector<SourceParameter> parameters;
  std::string launch_bounds;  ///< arguments of __launch_bounds__, "256, 2", or ""
  bool is_extern_c = false;
};

/// Number with a name that is known when the file is compiled.
struct SourceConstant {
  enum Kind { define, constexpr_variable, template_argument };
  std::string name;
  std::string value;  ///< its expression
  int line = 0;       ///< from 1
  Kind kind = define;
  /// [byte] where its expression begins, or blanks before it: several in branches of an #if and in several functions.
  std::vector<std::uint32_t> positions;
  double number = 0;          ///< the value of the expression
  bool has_one_value = true;  ///< the expression is the same in all of them
};

/// Function that runs on the host: neither __global__ nor __device__. Its lines begin with the parameters of its
/// templates. An explicit instantiation of such a template is one, too.
struct SourceFunction {
  std::string name;  ///< with its namespaces and classes; "" for an explicit instantiation
  int first_line = 0, last_line = 0;
  std::vector<SourceParameter> parameters{};
};

/// Array in shared memory: "__shared__ float tile[TILE][TILE + 1];".
struct SharedArrayDeclaration {
  std::string name;
  std::string function;            ///< with its namespaces; "" at file scope
  std::string type;                ///< of an element, as written
  std::vector<std::string> sizes;  ///< expressions, the outermost first
  int line = 0;                    ///< from 1
  /// [byte] where the last size begins and ends in the text that was parsed.
  std::uint32_t last_size_begin = 0, last_size_end = 0;
  std::vector<std::optional<std::int64_t>> counts;  ///< values of the sizes
  std::optional<std::int64_t> element_bytes;
};

/// Values of names for a kernel: its template's arguments, and chosen values, precede the file's.
struct TemplateValues {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> types;
  std::map<std::string, double> elsewhere{};  ///< for names to which the file gives no value
};

/// Definition at file scope that host code may use: of a macro, a constant, a type or a function.
struct SourceDefinition {
  std::string name;
  std::string text;    ///< "" where it is long
  std::string header;  ///< "util.cuh"; "" for the file's own
  int line = 0;        ///< from 1
};

struct SourceInclude {
  std::string name;
  bool is_system = false;  ///< between angle brackets
  int line = 0;            ///< from 1
};

/// kernel<<<grid, block, shared, stream>>>(arguments), cudaLaunchKernel(kernel, grid, block, addresses of the arguments,
/// shared, stream) or cudaLaunchKernelEx(&config, kernel, arguments...)
struct SourceLaunch {
  /// Name of a kernel of this file with its namespaces; as it is written where the file has no such kernel.
  std::string kernel;
  std::vector<std::string> template_arguments;
  std::string host_function;                ///< function in which it stands, or ""
  int line = 0;                             ///< from 1
  std::string grid, block, shared, stream;  ///< expressions, "" where left out
  std::vector<std::string> arguments;
  bool is_cooperative = false;  ///< Its blocks may wait for each other: cudaLaunchCooperativeKernel.
  std::uint32_t position = 0;   ///< [byte] identifies it in its file
};

/// Value with its reason, as a phrase for the user:
/// "from the launch in line 88: (N + 255) / 256 with N = 4096 (line 70)".
struct EvaluatedNumber {
  std::optional<double> value;
  std::string reason;
  std::vector<std::string> unknown;  ///< names and calls that have no value, each once
};

/// Buffer that an argument of a launch points into.
struct EvaluatedBuffer {
  EvaluatedNumber bytes;  ///< of the whole: "allocated in line 24: n * sizeof(float) with n = 1024 (line 12)"
  EvaluatedNumber offset_bytes;  ///< from its start to where the argument points
  std::string name;              ///< of the host's variable: "d_in", "model.weights"
  int line = 0;                  ///< from 1, of the allocation
  std::string fill;              ///< "zeros", or the number that it is filled with: "-inf"; "" if not known
};

struct EvaluatedLaunch {
  std::array<EvaluatedNumber, 3> grid, block;  ///< [blocks], [threads]: x, y, z
  EvaluatedNumber shared;                      ///< [bytes] of dynamic shared memory
  std::vector<EvaluatedNumber> arguments;      ///< without a value where the argument is not a number
  /// Each template argument as a number or a type, as written where it is neither.
  std::vector<std::string> template_arguments;
  /// By argument; none for a number and where nothing is known. Sizes have no value where an allocation is found but
  /// cannot be evaluated.
  std::vector<std::optional<EvaluatedBuffer>> buffers;
  /// Names of the chosen values on which any of this depends.
  std::set<std::string> taken;
  /// The launch is in a template that the file calls with several lists of template arguments.
  bool has_instances = false;
};

/// See CudaSource::evaluate: types that are template parameters have no size, where calls differ in them.
inline constexpr int open_instance = -1;

/// A member of a structure that a launch passes by value, as the host code sets it.
struct EvaluatedMember {
  EvaluatedNumber number;
  std::optional<EvaluatedBuffer> buffer;
};

/// A name's value where the file gives none, from its name and its declared type ("" if not declared): "N", "int" of a
/// host function's parameter, or an expression as a name, such as "x.size(0)" with the type of x.
using KnownValue = std::function<std::optional<double>(const std::string& name, const std::string& type)>;

/// Kernels of a CUDA C++ file with its host code, and how the host code launches them. The file is parsed by
/// tree-sitter, without its headers and without a preprocessor:
/// - kernels and launches are taken from all branches of #if except "#if 0", values from the first branch;
/// - a macro of the file whose body has a kernel or a launch is replaced by its body where it is used; other macros are
///   evaluated in expressions;
/// - launches by cudaLaunchKernel and cudaLaunchKernelEx are those whose kernel is named in the call;
/// - expressions are evaluated as in C++, with the values that names have before the launch: a loop is in its first
///   iteration, a program has no command-line arguments, and a condition that is not known is false;
/// - a buffer has the size of the newest allocation before the launch, see BufferFinder;
/// - a parameter of a host function has its value from the first call of that function in the file.
/// Safe to use from several threads.
class CudaSource {
 public:
  /// Accepts any bytes: a text that is not C++ has few or no kernels. Throws nothing but std::bad_alloc.
  explicit CudaSource(std::string text) : CudaSource(std::move(text), {}) {}
  /// `of_headers`: definitions by which the host code is evaluated, too. Kernels, launches and constants are the text's
  /// alone.
  CudaSource(std::string text, const std::vector<SourceDefinition>& of_headers);
  ~CudaSource();
  CudaSource(CudaSource&&) noexcept;
  CudaSource& operator=(CudaSource&&) noexcept;

  /// Reason why the file was not read, "" if it was: it is too long, or parsing it takes too long.
  const std::string& problem() const;
  const std::vector<SourceKernel>& kernels() const;
  const std::vector<SourceLaunch>& launches() const;
  const std::vector<SourceConstant>& constants() const;
  /// Members of a structure of this file, by their offset; empty for any other type, and for a structure whose layout is
  /// not known: a template, a class with virtual functions, a member of a type that the file does not have.
  std::vector<SourceMember> members_of(const std::string& type) const;
  const std::vector<SourceFunction>& host_functions() const;
  /// Prototypes and variables at file scope that only the host uses; they have no names here. Constant numbers, which
  /// device code may read, are not among them, and declarations that share a line with other code.
  const std::vector<SourceFunction>& host_declarations() const;
  const std::vector<SourceInclude>& includes() const;
  /// Own ones, which the host code of a file that includes this one may use.
  const std::vector<SourceDefinition>& definitions() const;

  /// Values of a launch of this file. `chosen` values, by name, precede the file's. `instance`: the call of a template
  /// that the launch is in, among calls with different template arguments, from 0; or open_instance.
  EvaluatedLaunch evaluate(const SourceLaunch& launch, const std::map<std::string, double>& chosen,
                           const KnownValue& known, int instance = 0) const;
  /// Members of an argument of a launch, by their names. `argument`: from 0; it is a variable.
  std::vector<EvaluatedMember> evaluate_members(const SourceLaunch& launch, std::size_t argument,
                                                const std::vector<std::string>& members,
                                                const std::map<std::string, double>& chosen,
                                                const KnownValue& known) const;
  /// Arrays in shared memory with a size, in the order of the text, with what their sizes are for these arguments.
  std::vector<SharedArrayDeclaration> shared_arrays(const TemplateValues& values) const;
  /// Expressions where a launch stands, with the values that names have there.
  std::vector<EvaluatedNumber> evaluate_at(const SourceLaunch& launch,
                                           const std::vector<std::string>& expressions,
                                           const std::map<std::string, double>& chosen,
                                           const KnownValue& known) const;
  /// The expression with which a variable is declared that a launch passes; "" where there is none.
  std::string initializer_of(const SourceLaunch& launch, const std::string& variable) const;
  /// Evaluates an expression of the file's scope, such as an argument of __launch_bounds__ or a default value.
  EvaluatedNumber evaluate_constant(const std::string& expression,
                                    const std::map<std::string, double>& chosen = {},
                                    const KnownValue& known = nullptr) const;

 private:
  struct Implementation;
  std::unique_ptr<const Implementation> implementation_;
};

}  // namespace tilescope
