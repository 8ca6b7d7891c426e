#include "profiler/kernels/containers/nearest_code.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

FoundCode cubin(const std::string& architecture) {
  return {FoundCode::Form::cubin, architecture, "cubin " + architecture, ""};
}
FoundCode ptx(const std::string& architecture) {
  return {FoundCode::Form::ptx, architecture, "PTX " + architecture, ""};
}

void expect_nearest(const std::vector<FoundCode>& codes, const std::string& architecture,
                    const std::string& origin, const std::string& reason) {
  const NearestCode found = nearest(codes, architecture);
  EXPECT_EQ(found.code == nullptr ? "" : found.code->origin, origin);
  EXPECT_EQ(found.reason, reason);
}

TEST(NearestCode, MachineCodeForTheVeryGpuIsFirst) {
  expect_nearest({ptx("sm_89"), cubin("sm_80"), cubin("sm_89")}, "sm_89", "cubin sm_89",
                 "it has machine code for sm_89");
}

TEST(NearestCode, MachineCodeOfTheSameMajorVersionBelowIsNext) {
  expect_nearest({cubin("sm_80"), cubin("sm_86"), cubin("sm_90"), ptx("sm_89")}, "sm_89", "cubin sm_86",
                 "it has no machine code for sm_89; the one for sm_86 runs on it");
}

TEST(NearestCode, PtxIsForItselfAndAllThatAreNewer) {
  expect_nearest({cubin("sm_75"), ptx("sm_70"), ptx("sm_80"), ptx("sm_90")}, "sm_89", "PTX sm_80",
                 "it has no machine code for sm_89, but PTX for sm_80");
}

TEST(NearestCode, CodeForOneGpuAloneIsForThatOne) {
  expect_nearest({cubin("sm_90"), cubin("sm_90a")}, "sm_90a", "cubin sm_90a",
                 "it has machine code for sm_90a");
  expect_nearest(
      {cubin("sm_90a"), ptx("sm_90a")}, "sm_90", "",
      "it has PTX for sm_90a, machine code for sm_90a, and none of it runs on sm_90: compile it for sm_90 as "
      "well");
  expect_nearest({ptx("sm_90a")}, "sm_100", "",
                 "it has PTX for sm_90a, and none of it runs on sm_100: compile it for sm_100 as well");
}

TEST(NearestCode, UnknownArchitecturesAreNeverTaken) {
  expect_nearest(
      {cubin("")}, "sm_89", "",
      "it has machine code for an unknown GPU, and none of it runs on sm_89: compile it for sm_89 as well");
  expect_nearest({}, "sm_89", "", "it has no device code");
}

}  // namespace
}  // namespace tilescope
