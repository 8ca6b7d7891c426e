#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

/// A header that a file includes, directly or through others.
struct SourceHeader {
  /// As it is written in #include.
  std::string name;
  /// Where it lies.
  std::filesystem::path path;
  std::string text;
  /// Null for a header that is there already under another name: `text` includes that one.
  std::shared_ptr<const CudaSource> source;
};

/// Lines of a file, counted from 1, both included.
struct SourceLines {
  int first = 0, last = 0;
};

/// A CUDA C++ file with the headers beside it. Headers of toolkits and of the system are not among them.
struct SourceTree {
  /// Headers that are read at most, and their size in all. [bytes]
  static constexpr std::size_t max_headers = 200, max_bytes = std::size_t{8} << 20U;

  std::string text;
  std::shared_ptr<const CudaSource> source;
  /// Each name once. One name that stands for two files in two folders is the first one.
  std::vector<SourceHeader> headers;
  /// In which headers are looked for: the file's folder, those above it, and their usual subfolders.
  std::vector<std::filesystem::path> folders;

  /// All sources, the file's own first.
  std::vector<std::shared_ptr<const CudaSource>> sources() const;
  /// Macros of any of its files that mark functions of the device: "DEVICE" of "#define DEVICE __device__".
  std::vector<std::string> device_macros() const;
};

/// Reads the headers of a text that is, or would be, the file `path`. `more_folders`: where headers are looked for
/// besides. What cannot be read is left out.
SourceTree read_source_tree(std::string text, const std::filesystem::path& path,
                            const std::vector<std::filesystem::path>& more_folders = {});

/// Lines of a text that only the host runs: its functions, but for constant expressions and for functions that one of
/// `device_macros` marks, its prototypes and its variables.
std::vector<SourceLines> host_lines(const std::string& text, const CudaSource& source,
                                    const std::vector<std::string>& device_macros);

}  // namespace tilescope
