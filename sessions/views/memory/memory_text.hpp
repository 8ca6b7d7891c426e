#pragma once

#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

enum class SiteMemory { shared, global, local };
/// The memory that a site accesses. Its `wavefronts` are wavefronts of shared memory, or sectors of the others.
SiteMemory memory_of(const MemorySite& site);
/// "shared", "global", "local"
std::string to_string(SiteMemory memory);
bool is_shared_site(const MemorySite& site);
bool is_local_site(const MemorySite& site);

/// "counted from the machine code", "recorded, counted from the PTX", "measured by the GPU's counters".
std::string counts_origin(const MemoryCounts& counts, bool recorded);
/// "the machine code", "the PTX"
std::string counted_code(const MemoryCounts& counts);

/// "Counted in 5 of 128 blocks and scaled to the grid."; "" when all blocks ran. For PTX also that the GPU may need fewer
/// instructions.
std::string sample_sentence(const MemoryCounts& counts);

/// "line 120", "line 151, mma_key_loop.cuh:225" for an access that was inlined there, "element.cuh:84" for a line of
/// another file, "PTX line 812" or "machine code at 0x01a0" without line information.
std::string place_words(const MemorySite& site, const std::string& kernel_file);

/// "ld.shared of K, 16 B: up to 8-way, 1,048,576 excess"
std::string site_words(const MemorySite& site);

/// Warp instructions by pipe, the largest share first: "fma 41.2 %, alu 30.1 %, lsu 12.0 %".
std::string mix_words(const MemoryCounts& counts);

/// "out_of_bounds" -> "Out of bounds".
std::string finding_title(const Finding& finding);

}  // namespace tilescope
