#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembly.hpp"

namespace tilescope::sass {

/// A section of code: the kernel's, or a function that it calls.
struct Section {
  const Function* text = nullptr;
  const CubinFunction* code = nullptr;
  /// [B] Offset of its address 0 in the joined addresses of all sections.
  std::uint32_t base = 0;
  /// Whether the kernel or what it calls goes there. The file may have functions of other kernels.
  bool is_reached = false;
};

/// Joined addresses of labels and functions. [B]
using CodeLabels = std::map<std::string, std::uint32_t, std::less<>>;

/// Sections of code that a kernel may go to, in one range of addresses.
class CodeSections {
 public:
  /// Throws CubinError where the disassembly lacks a function or does not fit it.
  CodeSections(const Cubin& cubin, const CubinKernel& kernel, const Disassembly& disassembly);

  /// The kernel's first.
  const std::vector<Section>& all() const { return sections_; }
  const CodeLabels& labels() const { return labels_; }
  /// [B] End of the last section.
  std::uint32_t end() const { return next_base_; }

 private:
  void add(const Disassembly& disassembly, const CubinFunction& code);
  void reach(std::size_t index);
  void reach(std::string_view name);
  void reach_addresses();

  const Cubin& cubin_;
  const CubinKernel& kernel_;
  std::vector<Section> sections_;
  CodeLabels labels_;
  std::uint32_t next_base_ = 0;
  bool reaches_addresses_ = false;
};

}  // namespace tilescope::sass
