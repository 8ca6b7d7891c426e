#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A parameter of a Triton kernel. Values that Triton compiles in, tl.constexpr and whole numbers that are 1, are none.
struct TritonParameter {
  /// "x_ptr"; "" where the IR has no names.
  std::string name;
  /// As C++ would write it: "__half*", "int"; "" for a type without a counterpart.
  std::string type;

  bool operator==(const TritonParameter&) const = default;
};

/// A number that a kernel was compiled with in the place of a tl.constexpr parameter.
struct TritonConstant {
  std::int64_t value = 0;
  /// Line of the parameter in the Python file, from 1; 0 for an option of the compiler, such as num_warps.
  std::int64_t line = 0;

  bool operator==(const TritonConstant&) const = default;
};

/// Facts on a kernel in Triton's IR and in the Python file.
struct TritonFunction {
  /// In their order; empty where the IR does not have the kernel.
  std::vector<TritonParameter> parameters;
  /// Parameters of the Python function without a counterpart in the IR: whole numbers that are 1, and pointers that are None.
  /// Empty where the IR has no names.
  std::vector<std::string> compiled_in;
  /// Whole numbers that were compiled in for tl.constexpr parameters, as far as the IR's operations are at a place where the
  /// Python file names one: tl.arange(0, BLOCK_M) becomes a range of 64. Parameters for which operations disagree are left out.
  std::map<std::string, TritonConstant> constants;
};

/// The Python file that the IR (.source, .ttir) names; "" for none.
std::string triton_source(std::string_view ir);

/// `python`: the text of triton_source(), which has the names of parameters that the IR of Triton before 3.4 lacks; may be
/// empty.
TritonFunction triton_function(std::string_view ir, std::string_view python, std::string_view kernel);

}  // namespace tilescope
