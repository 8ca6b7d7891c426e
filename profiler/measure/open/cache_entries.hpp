#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/containers/found_code.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// An entry of Triton's cache that the device can run.
struct NumberedEntry {
  std::int64_t number = 0;
  /// Into FoundIn::triton.
  std::size_t index = 0;
  TritonEntry entry;
};

/// A kernel that a compile cache holds once for each set of options and constants that it was compiled with.
struct CachedKernel {
  std::string name;
  /// The oldest first, at least one.
  std::vector<NumberedEntry> entries;
  /// The one that stands for the kernel: the newest that has the chosen values.
  std::size_t taken = 0;
  /// Chosen values that no entry has, a sentence's part: "num_warps 8 with num_stages 2"; "" where `taken` has all.
  std::string missing{};
};

/// The kernels of all entries of which `codes` have some that `architecture` runs. `chosen`: the user's values, by name; those
/// that no entry of a kernel knows are left alone.
std::vector<CachedKernel> cached_kernels(const FoundIn& found, const std::string& architecture,
                                         const std::map<std::string, std::string>& chosen);

/// The kernel of a single .cubin or .ptx file that lies in Triton's cache beside its .json file; empty for any other file.
std::vector<CachedKernel> cached_kernel_of(const std::filesystem::path& file);

/// The entry's number and what its entries differ in; empty for a kernel with one entry.
std::vector<OpenedConstant> constants_of(const CachedKernel& kernel);

/// Why the chosen values cannot be had, with those that the entries have, a sentence; "" where they can.
std::string why_no_entry(const CachedKernel& kernel);

/// Names and types of its parameters, its block and its shared memory.
WrittenKernel written_kernel(const CachedKernel& kernel);

}  // namespace tilescope
