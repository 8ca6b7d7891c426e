#pragma once

#include <list>
#include <memory>
#include <string>

#include "profiler/compile/compiler.hpp"
#include "profiler/ptx/program.hpp"

namespace tilescope {

/// The last few kernels in the interpreter's form, for a slider that moves back and forth.
class ProgramCache {
 public:
  /// Parses and decodes the kernel's PTX, or returns the cached result. Throws ptx::Unsupported and ptx::PtxError.
  std::shared_ptr<const ptx::Program> get(const CompiledKernel& compiled, const std::string& entry);

 private:
  struct Entry {
    /// The PTX's hash and the entry's name: a kernel's PTX that was compiled first may differ from the final one.
    std::string key;
    std::shared_ptr<const ptx::Program> program;
  };
  std::list<Entry> latest_;  // newest first
};

}  // namespace tilescope
