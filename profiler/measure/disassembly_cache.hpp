#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/sass/disassembler.hpp"

namespace tilescope {

/// The machine code of the last few kernels in words, for a slider that moves back and forth.
class DisassemblyCache {
 public:
  explicit DisassemblyCache(sass::NvdisasmSearch search) : search_(std::move(search)) {}

  /// Runs nvdisasm, or returns the cached result. Throws sass::NvdisasmUnavailable and sass::DisassemblyError. A lack of
  /// nvdisasm is not remembered: the set-up may bring it while the worker runs.
  std::shared_ptr<const sass::Disassembly> get(const std::vector<char>& cubin);
  /// "nvdisasm 13.5.37"; "" before the first get().
  std::string program() const;

 private:
  struct Entry {
    /// The hash of the binary; one program answers for all entries.
    std::string sha256;
    std::shared_ptr<const sass::Disassembly> disassembly;
  };
  sass::NvdisasmSearch search_;
  std::optional<sass::Disassembler> disassembler_;
  std::list<Entry> latest_;  // newest first
};

}  // namespace tilescope
