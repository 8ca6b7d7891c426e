// Names for the arrays of machine code, which ptxas orders as it likes and leaves without any.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/measure/files/shared_placement.hpp"
#include "profiler/measure/files/tests/cubin_run_fixture.hpp"

namespace tilescope {
namespace {

using Arrays = std::vector<ptx::DeclaredSharedArray>;
using Places = std::vector<std::optional<std::uint64_t>>;
using Reached = std::vector<std::optional<ReachedBytes>>;

TEST(SharedPlacement, FollowsTheBytesThatAreReached) {
  const Arrays arrays = {{"a", 512, 4}, {"b", 256, 4}};
  EXPECT_EQ(place_arrays(arrays, {ReachedBytes{256, 260}, ReachedBytes{0, 64}}, 768), (Places{256, 0}));
  EXPECT_EQ(place_arrays(arrays, {ReachedBytes{0, 512}, ReachedBytes{512, 516}}, 768), (Places{0, 512}));
}

TEST(SharedPlacement, HasNoPlaceWhereSeveralOrdersFit) {
  const Arrays arrays = {{"a", 64, 4}, {"b", 64, 4}, {"c", 64, 4}};
  EXPECT_EQ(place_arrays(arrays, {std::nullopt, ReachedBytes{64, 68}, std::nullopt}, 192),
            (Places{std::nullopt, 64, std::nullopt}));
  EXPECT_EQ(place_arrays(arrays, Reached(3), 128), Places(3)) << "another size than theirs";
}

TEST(SharedPlacement, KeepsAlignments) {
  EXPECT_EQ(place_arrays({{"a", 3, 1}, {"b", 16, 16}}, {std::nullopt, ReachedBytes{16, 32}}, 32),
            (Places{0, 16}));
}

const std::string two_arrays = R"(extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int left[8][32];
  __shared__ int right[4][32];
  left[threadIdx.x / 4][threadIdx.x % 4] = in[threadIdx.x];
  if (threadIdx.x < 16) right[threadIdx.x % 4][threadIdx.x / 4] = in[threadIdx.x] + 1;
  __syncthreads();
  out[threadIdx.x] = left[7 - threadIdx.x / 4][3 - threadIdx.x % 4] + right[threadIdx.x % 4][3];
}
)";
const Json two_arrays_launch = Json::parse(R"({"block": [32], "arguments": [
  {"type": "buffer", "element": "s32", "count": 32, "name": "in", "fill": 3},
  {"type": "buffer", "element": "s32", "count": 32, "name": "out"}]})");

class SharedArraysOfCode : public test_support::CubinRunTest {
 protected:
  std::vector<std::string> tiles_of(const std::vector<std::string>& options) const {
    const LaunchedPoint run = run_cubin(compile(two_arrays, "sm_89", options), two_arrays_launch);
    std::vector<std::string> names;
    if (!run.memory) return names;
    for (const MemorySite& site : run.memory->sites) {
      if (site.operation.find("shared") != std::string::npos) names.push_back(site.tile);
    }
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(SharedArraysOfCode, HaveTheNamesOfThePtxThatACubinCarries) {
  EXPECT_EQ(tiles_of({"-lineinfo"}), (std::vector<std::string>{"left", "left", "right", "right"}));
}

TEST_F(SharedArraysOfCode, HaveNoNamesWithoutIt) {
  const std::vector<std::string> names = tiles_of({});
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(std::ranges::count(names, ""), std::ssize(names));
}

}  // namespace
}  // namespace tilescope
