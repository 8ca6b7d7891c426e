#pragma once

#include <list>
#include <memory>
#include <string>

#include "profiler/compile/compiler.hpp"
#include "profiler/ptx/program.hpp"

namespace tilescope {

/// The last few kernels as the interpreter executes them: a slider goes back and forth.
class ProgramCache {
 public:
  /// Parses and decodes the kernel's PTX, or finds what that gave. Throws ptx::Unsupported and ptx::PtxError.
  std::shared_ptr<const ptx::Program> get(const CompiledKernel& compiled, const std::string& entry);

 private:
  struct Entry {
    std::string key;  // CompiledKernel::key, which the entry's name went into
    std::shared_ptr<const ptx::Program> program;
  };
  std::list<Entry> latest_;  // newest first
};

}  // namespace tilescope
