#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// A source that does not compile. `what()` is the first error in a sentence, `log` the whole output of the compiler.
class CompileFailed : public std::runtime_error {
 public:
  CompileFailed(const std::string& sentence, std::string compiler_log, std::string source_hash = "")
      : std::runtime_error(sentence), log(std::move(compiler_log)), source_sha256(std::move(source_hash)) {}
  std::string log;
  /// Hash of the kernel's source; "" if it is not a kernel's file.
  std::string source_sha256;
};

/// A compilation that was cancelled.
class CompileCancelled : public std::runtime_error {
 public:
  CompileCancelled() : std::runtime_error("the compilation was cancelled") {}
};

/// The output of one compilation.
struct CompilerOutput {
  /// Empty for a virtual architecture.
  std::vector<char> cubin;
  std::string ptx;
  /// Fetched before the status is checked, kept on success too.
  std::string log;
};

}  // namespace tilescope
