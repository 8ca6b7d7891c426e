#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/compile/binary_cache.hpp"
#include "profiler/compile/kernel_source.hpp"
#include "profiler/compile/nvrtc.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// A kernel as machine code.
struct CompiledKernel {
  std::vector<char> cubin;
  std::string ptx;
  std::string log;
  /// dynamic_shared_bytes is 0: it comes from the launch geometry.
  Resources resources;
  /// Cache key: the hash of everything that went in.
  std::string key;
  std::string source_sha256;
  std::string nvrtc_version;
  /// "CUTLASS 4.2.0", "" for a kernel without a library's headers.
  std::string library_version;
  std::vector<std::string> options;
  bool from_cache = false;
  /// [ms] spent in NVRTC, 0 from the cache.
  double compile_ms = 0;
};

/// The code of a source has no kernel with the entry's name. The message names those that it has.
class EntryNotFound : public CompileFailed {
 public:
  using CompileFailed::CompileFailed;
};

/// Compiles kernels with NVRTC, through the cache.
class Compiler {
 public:
  struct Folders {
    /// Where #include "device/..." is found.
    std::filesystem::path kernels;
    /// Folder for binaries/ and sources/.
    std::filesystem::path cache;
    /// The downloaded packages, for kernels made with CUTLASS.
    std::filesystem::path dependencies{};
  };
  Compiler(Nvrtc nvrtc, Folders folders);

  /// Compiles a configuration of a kernel for a real architecture ("sm_89"). Every parameter becomes a macro with its
  /// value as written, and so do the kernel's `macros` with the values of the shape. Throws CompileFailed and
  /// EntryNotFound with the log, CutlassUnavailable, or std::runtime_error when the source cannot be read.
  CompiledKernel compile(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
                         const std::string& arch) const;

  /// Compiles any other source: a probe or a microbenchmark with its own macros.
  CompiledKernel compile_file(const std::filesystem::path& cu_file, const std::string& entry,
                              const std::vector<std::pair<std::string, std::string>>& macros,
                              const std::string& arch) const;

  /// Stores the file of a kernel that is not compiled here with the sources, and returns its hash. Throws
  /// std::runtime_error when it cannot be read.
  std::string keep_source(const KernelDeclaration& kernel) const;

  /// A source that was compiled or stored here, by its hash; nothing when the cache does not have it any more.
  std::optional<SourceFile> find_source(const std::string& sha256) const { return sources_.find(sha256); }

  const Nvrtc& nvrtc() const { return nvrtc_; }

 private:
  KernelSource source_of(const KernelDeclaration& kernel) const;
  CompiledKernel compile_with(KernelLibrary library, const KernelSource& source, const std::string& entry,
                              const std::vector<std::pair<std::string, std::string>>& macros,
                              const std::string& arch) const;

  Nvrtc nvrtc_;
  Folders folders_;
  BinaryCache cache_;
  SourceStore sources_;
};

}  // namespace tilescope
