#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// CUDA C++ that a Python file has in its string literals, as torch.utils.cpp_extension.load_inline() and
/// cupy.RawKernel get it.
struct PythonCuda {
  /// The literals with device code, each in the lines that it has in the file, and blank lines in the place of all else.
  /// "" where there is none.
  std::string text;
  /// Lines, from 1, at which formatted literals with device code begin: their values are known only when Python runs.
  std::vector<int> formatted_lines;
};

/// Reads string literals as the Python language reference defines them (Lexical analysis, "String and Bytes literals").
/// Escape sequences for characters by their number or name are left as they are: C++ has the first of them, too.
PythonCuda cuda_in_python(const std::string& python);

}  // namespace tilescope
