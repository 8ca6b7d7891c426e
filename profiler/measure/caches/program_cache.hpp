#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/caches/disassembly_cache.hpp"

namespace tilescope {

/// A kernel in the interpreter's form.
struct CodeToRun {
  std::shared_ptr<const simt::Program> program;
  /// Why it is the PTX and not the machine code that was made of it; "" for machine code, and where there is none yet.
  std::string why_ptx;
};

/// The last few kernels in the interpreter's form, for a slider that moves back and forth.
class ProgramCache {
 public:
  explicit ProgramCache(DisassemblyCache& disassemblies) : disassemblies_(disassemblies) {}

  /// The kernel's machine code where every instruction of it is executed, else its PTX. Throws what ptx() throws.
  CodeToRun code_to_run(const CompiledKernel& compiled, const std::string& entry);
  /// Throws sass::Unsupported, sass::CubinError, sass::DisassemblyError and sass::NvdisasmUnavailable.
  std::shared_ptr<const simt::Program> machine_code(const CompiledKernel& compiled, const std::string& entry);
  /// Throws ptx::Unsupported and ptx::PtxError.
  std::shared_ptr<const simt::Program> ptx(const CompiledKernel& compiled, const std::string& entry);

 private:
  struct Entry {
    /// The code's hash and the entry's name: a kernel's PTX that was compiled first may differ from the final one.
    std::string key;
    std::shared_ptr<const simt::Program> program;
  };
  std::shared_ptr<const simt::Program> get(const std::string& key,
                                           const std::function<simt::Program()>& decode);

  DisassemblyCache& disassemblies_;
  std::list<Entry> latest_;  // newest first
};

}  // namespace tilescope
