#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/containers/cuobjdump.hpp"
#include "profiler/kernels/containers/fat_binaries.hpp"
#include "profiler/kernels/containers/file_kind.hpp"
#include "profiler/kernels/containers/find_code.hpp"

namespace tilescope {

/// Collects the device code of files within one limit for all, and what was left out.
class CodeCollector {
 public:
  CodeCollector(const ContainerTools& tools, const std::function<bool()>& cancelled)
      : tools_(tools), cancelled_(cancelled) {}

  /// Adds the code of a file other than a folder, a zip file or a static library. `origin` names it in FoundCode::origin.
  /// A file without code adds nothing. Throws what find_code throws.
  void add_file(const std::filesystem::path& file, const std::string& origin);
  /// Begins the code of an entry: FoundCode::entry of all that is added until the next one.
  void begin_entry(std::size_t entry) { entry_ = entry; }
  void end_entries() { entry_.reset(); }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  bool has_relocatable() const { return has_relocatable_; }
  /// There was code, and none of it has a kernel.
  bool has_code_without_kernel() const { return has_code_without_kernel_; }
  std::vector<FoundCode> take_codes() { return std::move(codes_); }
  std::vector<std::string> take_notes() { return std::move(notes_); }
  bool is_empty() const { return codes_.empty(); }

 private:
  void add_whole(FoundCode::Form form, const std::filesystem::path& file, const std::string& origin);
  void add_packed(FatBinaries packed, const std::string& origin);
  /// Returns false where it has no kernel or is not linked.
  bool add(FoundCode::Form form, std::string contents, const std::string& origin);

  const ContainerTools& tools_;
  const std::function<bool()>& cancelled_;
  std::optional<Cuobjdump> cuobjdump_;
  std::uint64_t bytes_left_ = max_code_bytes;
  bool has_relocatable_ = false;
  bool has_code_without_kernel_ = false;
  std::optional<std::size_t> entry_;
  std::vector<FoundCode> codes_;
  std::vector<std::string> notes_;
};

}  // namespace tilescope
