#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/measure/open/cache_entries.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/workbench.hpp"

namespace tilescope {

class CudaSource;

/// The form of device code that is wanted.
enum class CodeForm {
  /// The code that the device would run: machine code, or PTX where a file has nothing nearer.
  nearest,
  /// PTX, which stepping executes; CUDA C++ is compiled to it.
  ptx,
};

/// How CUDA C++ is compiled, and which code of a file is taken.
struct CompileChoice {
  /// "sm_89"
  std::string architecture;
  /// The user's: "-I", "-DTILE=64"
  std::vector<std::string> options;
  /// The user's values by name. A constant's is compiled in.
  std::map<std::string, std::string> chosen{};
  CodeForm form = CodeForm::nearest;
  /// Kernels whose instances go before others.
  std::vector<std::string> first{};
};

/// The device code of an opened file, and its sources where it has some.
struct OpenedCodes {
  /// "CUDA C++", "a cubin"
  std::string kind;
  /// The CUDA C++ stands in strings of a Python file.
  bool is_python = false;
  std::vector<OpenedCode> codes;
  std::vector<std::string> notes;
  /// CUDA C++ of the file, and of the headers beside it.
  std::vector<std::shared_ptr<const CudaSource>> sources;
  /// Kernels of the opened file, as its source names them, where a file that includes it was compiled; else empty.
  std::vector<std::string> included_kernels;
  /// The text of the opened file that was compiled, without its headers; "" of compiled code.
  std::string text;
  /// Constants of the opened file itself, with the values that it gives.
  std::vector<OpenedConstant> constants;
  /// Macros that the options define, with their values.
  std::map<std::string, std::string> definitions;
  /// Numbers with a name at file scope of any of the sources, with the values that are compiled.
  std::map<std::string, double> numbers;
  /// Kernels of a folder of Triton's cache.
  std::vector<CachedKernel> cached;

  /// Kernels that the sources launch, in their order; of `included_kernels`, where there are some.
  std::vector<std::string> launched_kernels() const;
  /// The sources' words on a kernel and its first launch that can be evaluated. `chosen`: the user's values by name.
  /// Launches in the function `host_function` go before others.
  WrittenKernel written_kernel(const std::string& entry, const std::map<std::string, std::string>& chosen,
                               const SuggestionBasis& basis = {},
                               const std::string& host_function = "") const;

  /// nullptr for a kernel that is from no cache.
  const CachedKernel* cached_kernel(const std::string& entry) const;
};

/// Reads a file and compiles CUDA C++. Throws UnusableFile, CompileFailed, CompileCancelled and NvrtcUnavailable, and
/// std::invalid_argument for a chosen value of a constant that is not a whole number from 1.
OpenedCodes opened_codes(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                         const MeasureControl& control);

}  // namespace tilescope
