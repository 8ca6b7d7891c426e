#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The access sites of one place in the source that do the same: a loop that is unrolled, or a function that is called for
/// several tiles, makes several sites of one line.
struct SiteGroup {
  /// In the kernel's own file; 0 for none.
  std::int64_t line = 0;
  /// As place_words(): "line 84", "line 151, mma_key_loop.cuh:225", "PTX line 812"
  std::string place;
  /// As accessing_place(): "" where the line itself makes the accesses.
  std::string inlined_place;
  /// "ld.shared"
  std::string operation;
  /// [B] per lane
  std::int64_t width_bytes = 0;
  /// "K", "K and V"; "" where the memory has no name.
  std::string memory;
  std::int64_t executions = 0;
  /// Wavefronts of shared memory, sectors of global memory.
  std::int64_t wavefronts = 0;
  std::int64_t minimum = 0;
  /// wavefronts - minimum
  std::int64_t excess = 0;
  /// Executions by the degree of their worst pass.
  std::map<std::int64_t, std::int64_t> degrees;
  std::int64_t worst_degree = 0;
  /// Copies past L1 (cp.async.cg), which follow a rule of their own: profiler/execution/memory/bank_conflicts.hpp.
  bool is_past_l1 = false;
};

/// The groups with any excess, the worst first: of shared memory, or of global memory.
std::vector<SiteGroup> group_sites(const MemoryCounts& memory, const KernelDeclaration& kernel, bool shared);

/// [us] Saving of the launch without the group's excess: its line's saving, in proportion to the excess of all groups there.
/// As saving_without().
std::optional<double> saving_of(const SiteGroup& group, const std::vector<SiteGroup>& groups,
                                const Measurement& point, std::string_view cause);

/// "K (line 84)", or only "line 84" where the memory has no name.
std::string where_words(const SiteGroup& group);

/// "31.5 M of 42.2 M": the excess of a group in the kernel's total.
std::string of_total(std::int64_t excess, std::int64_t total);

}  // namespace tilescope
