#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

/// Small kernels under the checkers.
namespace tilescope::checked {

using Lines = std::vector<std::int64_t>;

inline std::vector<Finding> check(const std::string& body, std::uint32_t threads = 64,
                                  std::uint32_t blocks = 1) {
  KernelRun run;
  run.threads = threads;
  run.blocks = blocks;
  run.options.check = true;
  run.options.count = false;
  return trace_kernel(program_of(body), run).findings;
}

inline std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.kind + ": " + finding.text + "\n";
  return text;
}

inline void expect_one(const std::vector<Finding>& findings, const std::string& kind, const Lines& lines) {
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].kind, kind) << text_of(findings);
  EXPECT_EQ(findings[0].lines, lines) << text_of(findings);
  EXPECT_GE(findings[0].occurrences, 1);
  EXPECT_FALSE(findings[0].text.empty());
}

/// Each thread writes its word and reads the word of the thread `distance` further.
inline std::string exchange(const std::string& distance, const std::string& barrier) {
  return R"(
  at(10)
  st.shared.u32 [%r3], %r1;
  at(11)
  )" + barrier +
         R"(
  at(12)
  xor.b32 %r4, %r1, )" +
         distance + R"(;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  ld.shared.u32 %r5, [%r4];
)";
}

}  // namespace tilescope::checked
