#include "profiler/kernels/compile/refused_kernels.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using Names = std::vector<std::string>;

const Names kernels = {"scale<float, 2>", "scale<Nope, 3>", "copy<float>"};

TEST(RefusedKernels, AreThoseThatNvrtcsListOfNamesIsAbout) {
  const std::string log =
      "__nv_name_map(2): error: identifier \"Nope\" is undefined\n  #pragma nv_mangled_name scale<Nope, 3>\n"
      "                            ^\n\nk.cu(9): warning: copy<float> is slow\n";
  EXPECT_EQ(refused_by_nvrtc(kernels, log), Names{"scale<Nope, 3>"});
}

TEST(RefusedKernels, AreThoseWithinWhichAnErrorIs) {
  const std::string log =
      "k.cu(1): error: static assertion failed\n  static_assert(N > 3);\n"
      "          detected during instantiation of \"void scale<T,N>(T *) [with T=float, N=2]\" \n";
  EXPECT_EQ(refused_by_nvrtc(kernels, log), Names{"scale<float, 2>"});
  EXPECT_EQ(refused_by_nvrtc(kernels, "k.cu(1): error: expected a \";\"\n"), Names{});
}

TEST(RefusedKernels, OfNvccAreInTheLinesBehindTheFile) {
  EXPECT_EQ(refused_by_nvcc(kernels, "k.cu(3): error: no\nk.cu(11): error: no\n", 10),
            Names{"scale<float, 2>"});
  EXPECT_EQ(refused_by_nvcc(kernels, "k.cu(3): error: no\n", 10), Names{});
  EXPECT_EQ(refused_by_nvcc(kernels, "k.cu(3): error: no\n detected during instantiation of \"k\"", 10),
            kernels);
}

TEST(RefusedKernels, HaveANote) {
  EXPECT_EQ(refused_note({}), "");
  EXPECT_EQ(refused_note({"a<1>", "b<2>"}),
            " Left out: a<1>; b<2>, whose template arguments do not compile.");
}

}  // namespace
}  // namespace tilescope
