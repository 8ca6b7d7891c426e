#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/file_cache.hpp"

namespace tilescope {

/// Whether nvdisasm's remarks on instructions are wanted, which name those that spill registers. A run of nvdisasm prints
/// them, and a server that is ready does not.
enum class Remarks { left_out, wanted };

/// Remarks are wanted of a binary in which a kernel has a stack: only such a one spills.
Remarks remarks_on_spills(const sass::Cubin& cubin);

/// The machine code of binaries in words: the last few in memory, for a slider that moves back and forth, others as
/// nvdisasm's text on disk. Any thread may call it.
class DisassemblyCache {
 public:
  /// With the nvdisasm of TILESCOPE_CUDA, of the downloaded packages or of PATH; texts are kept in the user's cache.
  explicit DisassemblyCache(const Installation& installation);
  /// `folder`: where texts are kept.
  DisassemblyCache(sass::NvdisasmSearch search, std::filesystem::path folder);

  /// To be called before anything else.
  void set_limits(const sass::NvdisasmLimits& limits) { limits_ = limits; }

  /// Lets nvdisasm get ready for binaries of this architecture ("sm_89") while one is compiled. Returns at once.
  void prepare(const std::string& architecture);
  /// Asks nvdisasm, for 0.03 s where it is ready, else a quarter of a second, or returns the cached result. Throws
  /// sass::NvdisasmUnavailable and sass::DisassemblyError. A lack of nvdisasm is not remembered: the set-up may bring it
  /// while the worker runs.
  std::shared_ptr<const sass::Disassembly> get(const std::vector<char>& cubin,
                                               Remarks remarks = Remarks::left_out);
  /// "nvdisasm 13.5.37"; "" before the first get().
  std::string program() const;

 private:
  struct Entry {
    /// The hash of the binary, and whether remarks are in it; one program answers for all entries.
    std::string key;
    std::shared_ptr<const sass::Disassembly> disassembly;
  };
  std::shared_ptr<const sass::Disassembly> find(const std::string& key);
  sass::Disassembler disassembler();
  std::string text_of(const std::vector<char>& cubin, const std::string& key, Remarks remarks);

  sass::NvdisasmSearch search_;
  sass::NvdisasmLimits limits_;
  FileCache files_;
  mutable std::mutex mutex_;
  std::optional<sass::Disassembler> disassembler_;
  std::list<Entry> latest_;  // newest first
  int kept_ = 0;
};

}  // namespace tilescope
