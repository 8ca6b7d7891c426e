#pragma once

// Names a value for the panels that step through a kernel: probe("m", row, value), with one to three int indices and a
// float. Empty, and its arguments not evaluated, unless TILESCOPE_STEP is defined. A step build has a comment there, which
// NVRTC keeps with the registers that hold the values; it changes no result.
//
// Rows and keys count from the start of the sequence, not of the tile. The panels read
//   tile       (first_key, keys)      where each tile of keys begins, once a warp
//   score      (row, key, score)      scaled, -inf where masked; score_log2 in units of log2
//   m          (row, m)               the running maximum after the tile; m_log2 in units of log2
//   l          (row, l)               the running sum after the tile; (row, part, l) where the reader adds the parts
//   rescale    (row, factor)          of what was accumulated before the tile
//   o          (row, column, output)  so far, not yet divided by l
#ifdef TILESCOPE_STEP
#define TILESCOPE_PROBE_1(NAME, VALUE) asm volatile("// tilescope.probe." NAME " %0;" ::"f"(float(VALUE)))
#define TILESCOPE_PROBE_2(NAME, I, VALUE) \
  asm volatile("// tilescope.probe." NAME " %0, %1;" ::"r"(int(I)), "f"(float(VALUE)))
#define TILESCOPE_PROBE_3(NAME, I, J, VALUE) \
  asm volatile("// tilescope.probe." NAME " %0, %1, %2;" ::"r"(int(I)), "r"(int(J)), "f"(float(VALUE)))
#define TILESCOPE_PROBE_4(NAME, I, J, K, VALUE)                                                            \
  asm volatile("// tilescope.probe." NAME " %0, %1, %2, %3;" ::"r"(int(I)), "r"(int(J)), "r"(int(K)), \
               "f"(float(VALUE)))
#define TILESCOPE_PROBE_OF(A, B, C, D, MACRO, ...) MACRO
#define probe(NAME, ...)                                                                                     \
  TILESCOPE_PROBE_OF(__VA_ARGS__, TILESCOPE_PROBE_4, TILESCOPE_PROBE_3, TILESCOPE_PROBE_2, TILESCOPE_PROBE_1) \
  (NAME, __VA_ARGS__)
#else
#define probe(...) static_cast<void>(0)
#endif
