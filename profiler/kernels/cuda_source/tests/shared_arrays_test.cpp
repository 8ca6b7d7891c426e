// Arrays in shared memory: their rows and columns, as the source declares them.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {
namespace {

using Counts = std::vector<std::optional<std::int64_t>>;

TEST(SharedArrays, HaveTheSizesThatConstantsGiveThem) {
  const std::string text =
      "#define PAD 1\nconst int TILE = 32;\n__global__ void k(float* out) {\n"
      "  constexpr int BK = TILE / 4;\n"
      "  __shared__ float tile[TILE][TILE + PAD], b[2][BK][64];\n"
      "  __shared__ __align__(16) half line[BK * 4];\n  float local[4][4];\n}\n";
  const CudaSource source(text);
  const std::vector<SharedArrayDeclaration> arrays = source.shared_arrays({});
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(arrays[0].name, "tile");
  EXPECT_EQ(arrays[0].function, "k");
  EXPECT_EQ(arrays[0].type, "float");
  EXPECT_EQ(arrays[0].line, 5);
  EXPECT_EQ(arrays[0].sizes, (std::vector<std::string>{"TILE", "TILE + PAD"}));
  EXPECT_EQ(arrays[0].counts, (Counts{32, 33}));
  EXPECT_EQ(arrays[0].element_bytes, 4);
  EXPECT_EQ(text.substr(arrays[0].last_size_begin, arrays[0].last_size_end - arrays[0].last_size_begin),
            "TILE + PAD");
  EXPECT_EQ(arrays[1].counts, (Counts{2, 8, 64}));
  EXPECT_EQ(arrays[2].name, "line");
  EXPECT_EQ(arrays[2].element_bytes, 2);
  EXPECT_EQ(arrays[2].counts, (Counts{32}));
}

TEST(SharedArrays, FollowTheArgumentsOfTheTemplate) {
  const CudaSource source(
      "template <typename T, int TILE> __global__ void k(T* out) { __shared__ T tile[TILE][TILE]; }\n"
      "void host(float* p) { k<float, 16><<<1, 32>>>(p); }\n");
  const std::vector<SharedArrayDeclaration> arrays =
      source.shared_arrays({{{"TILE", 64}}, {{"T", "double"}}});
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].counts, (Counts{64, 64}));
  EXPECT_EQ(arrays[0].element_bytes, 8);
}

TEST(SharedArrays, HaveNoSizeWhereTheSourceGivesNone) {
  const CudaSource source(
      "extern __shared__ float dynamic[];\n__global__ void k() { __shared__ Unknown tile[N][8]; }\n");
  const std::vector<SharedArrayDeclaration> arrays = source.shared_arrays({});
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].counts, (Counts{std::nullopt, 8}));
  EXPECT_FALSE(arrays[0].element_bytes);
}

}  // namespace
}  // namespace tilescope
