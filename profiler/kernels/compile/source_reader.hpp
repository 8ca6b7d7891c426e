#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {

/// Reads the files of a kernel's source, within limits.
class SourceReader {
 public:
  /// The largest file, and the largest sum of all files [B]
  static constexpr std::uint64_t max_file_bytes = std::uint64_t{8} << 20U;
  static constexpr std::uint64_t max_all_bytes = std::uint64_t{32} << 20U;
  static constexpr std::size_t max_headers = 2000;

  SourceReader(std::filesystem::path cu_file, std::filesystem::path include_root);
  /// Without the hash. Throws as read_kernel_source does.
  KernelSource read();

 private:
  /// The includes of one file that are still to be read.
  struct Pending {
    std::deque<std::string> names;
    std::filesystem::path folder;
  };

  void push_includes(const std::string& text, std::filesystem::path folder);
  void read_include(const std::string& name, const std::filesystem::path& folder);
  void refuse_names(const std::string& name, bool is_toolkits) const;
  /// Returns false where there is no such file.
  bool read_header(const std::string& name, const std::filesystem::path& file);
  void read_sidecar();
  void add(const std::string& name, const std::filesystem::path& file, std::string text, bool may_be_carried);
  bool is_below_our_folders(const std::filesystem::path& file) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

  std::filesystem::path cu_file_;
  std::filesystem::path include_root_;
  KernelSource source_;
  /// Without symbolic links; empty where there is no such folder.
  std::filesystem::path own_folder_, common_folder_;
  /// The file that was read last is at the end: its includes come first, as for a compiler.
  std::vector<Pending> pending_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tilescope
