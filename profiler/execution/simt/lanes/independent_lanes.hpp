#pragma once

/// Put before a loop over lanes: no lane reads what another writes, so the compiler may vectorise it without a test.
/// The decoder assigns registers that are identical or disjoint, never overlapping.
#ifdef __clang__
#define TILESCOPE_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILESCOPE_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif
