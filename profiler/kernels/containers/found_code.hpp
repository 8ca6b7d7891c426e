#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/kernels/containers/triton_ir.hpp"

namespace tilescope {

/// The file has no device code that can be executed, or is too large or damaged: what() says what it is and what to do.
class CodeNotFound : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A search that was cancelled.
class SearchCancelled : public std::runtime_error {
 public:
  SearchCancelled() : std::runtime_error("the search for device code was cancelled") {}
};

/// One piece of device code found in a file.
struct FoundCode {
  enum class Form : std::uint8_t { cubin, ptx };
  Form form = Form::cubin;
  /// "sm_89", "sm_90a"; "" if unknown.
  std::string architecture;
  /// Place as a message names it: "libx.so: 3rd cubin", "pkg.whl: pkg/ext.so: 1st PTX".
  std::string origin;
  std::string contents;
  /// The kernels in it, mangled, in the order of the file.
  std::vector<std::string> kernels{};
  /// Into FoundIn::triton; none for the code of another file.
  std::optional<std::size_t> entry{};
};

/// A kernel of Triton's cache, with what its .json file says.
struct TritonEntry {
  /// "add_kernel"
  std::string name;
  /// 0 where the file does not say.
  int num_warps = 0;
  /// [B] of dynamic shared memory for a launch; nullopt where the file does not say.
  std::optional<int> shared;
  int num_stages = 0;
  /// Values that it was compiled with: num_warps, num_stages, and tl.constexpr parameters as far as the IR and the Python file tell.
  std::map<std::string, TritonConstant> constants;
  /// Empty where the folder has no IR. Pointers to scratch memory, which Triton adds, are not among them.
  std::vector<TritonParameter> parameters;
  /// As TritonFunction has them.
  std::vector<std::string> compiled_in;
  /// Pointers to scratch memory behind the parameters.
  int scratch_pointers = 0;
  /// "sm_89"; "" if unknown.
  std::string architecture;
  /// "" where it is missing, as below.
  std::filesystem::path cubin;
  std::filesystem::path ptx;
  /// The Python file that the PTX names: "/home/user/add.py".
  std::string source;
};

/// The device code of a file or a folder.
struct FoundIn {
  /// "a program with device code", "a fat binary", "a Python wheel", "a folder of Triton's cache"
  std::string kind;
  /// In the order of the file, for all architectures.
  std::vector<FoundCode> codes;
  /// Sentences about what was left out.
  std::vector<std::string> notes;
  /// Entries of Triton's or TorchInductor's cache, the newest first.
  std::vector<TritonEntry> triton{};
};

/// "cubin", "PTX"
std::string to_string(FoundCode::Form form);

}  // namespace tilescope
