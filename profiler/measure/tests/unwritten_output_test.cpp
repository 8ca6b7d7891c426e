#include <gtest/gtest.h>

#include "base/json.hpp"
#include "profiler/measure/interpret/output_coverage.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

// One warp per row of 32 columns, four rows per tile. The parameter determines which block computes which tile, and
// what it leaves out.
const char* const source = R"cuda(
#include <cuda_fp16.h>
enum Way { plain, shifted_tail, split_columns, two_or_none, persistent, last_of_two, both, reversed, heads_first, dynamic,
           odd_lanes, only_head_0, always_head_0, always_batch_0, even_tiles, short_tail, one_hole, nan_rows };
struct Problem { const __half *q, *k, *v; __half* out; int queries, keys, heads, tiles; };

__device__ void attend_row(const Problem& problem, int head_of_all, int query) {
  const int d = threadIdx.x;
  const float scale = rsqrtf(32.0f) * 1.44269504f;
  const float own = __half2float(problem.q[(head_of_all * problem.queries + query) * 32 + d]) * scale;
  const __half* k = problem.k + head_of_all * problem.keys * 32;
  const __half* v = problem.v + head_of_all * problem.keys * 32;
  float largest = -1e30f, total = 0, sum = 0;
  for (int j = 0; j < problem.keys; ++j) {
    float score = own * __half2float(k[j * 32 + d]);
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
    const float now = fmaxf(largest, score), old = exp2f(largest - now), weight = exp2f(score - now);
    total = total * old + weight;
    sum = sum * old + weight * __half2float(v[j * 32 + d]);
    largest = now;
  }
  bool writes = true;
  if (WAY == odd_lanes) writes = d % 2 == 0;
  if (WAY == split_columns) writes = d / 16 == blockIdx.x % 2;
  if (WAY == short_tail) writes = query < problem.queries - 1;
  if (WAY == one_hole) writes = head_of_all != 5 || query != 30;
  __half result = __float2half(sum / total);
  if (WAY == nan_rows) result = __ushort_as_half(0xFFFF);
  if (writes) problem.out[(head_of_all * problem.queries + query) * 32 + d] = result;
}

__device__ void attend_tile(const Problem& problem, int head_of_all, int tile) {
  int first = tile * 4;
  if (WAY == shifted_tail) first = max(0, min(first, problem.queries - 4));
  for (int row = first; row < min(first + 4, problem.queries); ++row) attend_row(problem, head_of_all, row);
}

extern "C" __global__ void attend(const __half* q, const __half* k, const __half* v, __half* out, int queries, int keys,
                                  int heads, int batches, unsigned* arrivals) {
  const int tiles = (queries + 3) / 4;
  const Problem problem = {q, k, v, out, queries, keys, heads, tiles};
  const int x = blockIdx.x, y = blockIdx.y, z = blockIdx.z, head = z * heads + y;
  if (WAY == split_columns || WAY == both) return attend_tile(problem, head, x / 2);
  if (WAY == two_or_none) {
    if (x % 2 == 1) return;
    attend_tile(problem, head, x);
    if (x + 1 < tiles) attend_tile(problem, head, x + 1);
    return;
  }
  if (WAY == persistent || WAY == reversed) {
    const int all = tiles * heads * batches;
    for (int at = x; at < all; at += gridDim.x) {
      const int place = WAY == reversed ? all - 1 - at : at;
      attend_tile(problem, place / tiles, place % tiles);
    }
    return;
  }
  if (WAY == dynamic) {
    for (;;) {
      unsigned at = 0;
      if (threadIdx.x == 0) at = atomicAdd(arrivals, 1);
      at = __shfl_sync(0xffffffffu, at, 0);
      if (at >= tiles * heads * batches) return;
      attend_tile(problem, at / tiles, at % tiles);
    }
  }
  if (WAY == last_of_two) {
    unsigned before = 0;
    if (threadIdx.x == 0) before = atomicAdd(arrivals + head * tiles + x / 2, 1);
    if (__shfl_sync(0xffffffffu, before, 0) == 1) attend_tile(problem, head, x / 2);
    return;
  }
  if (WAY == heads_first) return attend_tile(problem, x, y);
  if (WAY == only_head_0 && y > 0) return;
  if (WAY == always_head_0) return attend_tile(problem, z * heads, x);
  if (WAY == always_batch_0) return attend_tile(problem, y, x);
  if (WAY == even_tiles) return attend_tile(problem, head, x / 2 * 2);
  attend_tile(problem, head, x);
}
)cuda";

const char* const declaration = R"json({
  "name": "ways", "role": "rung", "title": "Ways to cover a result", "entry": "attend", "dtypes": ["fp16"],
  "parameters": [{"name": "WAY", "values": ["plain", "shifted_tail", "split_columns", "two_or_none", "persistent",
    "last_of_two", "both", "reversed", "heads_first", "dynamic", "odd_lanes", "only_head_0", "always_head_0", "always_batch_0",
    "even_tiles", "short_tail", "one_hole", "nan_rows"], "default": "plain", "help": "-"}],
  "constraints": [{"expression": "D == 32", "text": "D is 32"}],
  "grid": ["ceil_div(Sq, 4)", "Hq", "B"], "threads": "32", "dynamic_shared_bytes": "0",
  "arguments": [{"type": "pointer", "value": "Q"}, {"type": "pointer", "value": "K"}, {"type": "pointer", "value": "V"},
                {"type": "pointer", "value": "O"}, {"type": "int32", "value": "Sq"}, {"type": "int32", "value": "Sk"},
                {"type": "int32", "value": "Hq"}, {"type": "int32", "value": "B"},
                {"type": "pointer", "value": "scratch", "bytes": "4 * ceil_div(Sq, 4) * Hq * B"}]
})json";

const std::string pairs_of_blocks = R"g(["2 * ceil_div(Sq, 4)", "Hq", "B"])g";
const std::string heads_along_x = R"g(["Hq * B", "ceil_div(Sq, 4)", "1"])g";
const std::string plain_grid = R"g(["ceil_div(Sq, 4)", "Hq", "B"])g";

class UnwrittenOutput : public test_support::ServiceTest {
 protected:
  UnwrittenOutput() : service(make_measure_service(installation)) {
    experiment.kernel = write("ways.cu", source).string();
    experiment.shape = {2, 8, 8, 61, 256, 32, DataType::fp16, false};
  }
  Measurement run(const std::string& way, const std::string& grid = plain_grid) {
    std::string text = declaration;
    text.replace(text.find(plain_grid), plain_grid.size(), grid);
    write("ways.json", text);
    experiment.parameters = {{"WAY", way}};
    return test_support::ask<Measure>(service, {experiment}, control);
  }
  void expect_right(const std::string& way, const std::string& grid = plain_grid) {
    for (const BlockChoice& blocks :
         {BlockChoice{}, BlockChoice{BlockChoice::Kind::count, 7}, BlockChoice{BlockChoice::Kind::all, 0}}) {
      experiment.blocks = blocks;
      const Measurement point = run(way, grid);
      EXPECT_EQ(point.status, Status::ok) << way << ", " << blocks.count << " blocks: " << point.reason;
    }
  }
  void expect_wrong(const std::string& way, const std::string& grid, const std::string& reason) {
    for (const BlockChoice& blocks :
         {BlockChoice{}, BlockChoice{BlockChoice::Kind::count, 7}, BlockChoice{BlockChoice::Kind::all, 0}}) {
      experiment.blocks = blocks;
      const Measurement point = run(way, grid);
      EXPECT_EQ(point.status, Status::wrong_result) << way << ", " << blocks.count << " blocks";
      EXPECT_NE(point.reason.find(reason), std::string::npos) << way << ": " << point.reason;
    }
  }

  tilescope::Service service;
};

TEST_F(UnwrittenOutput, AKernelThatWritesEveryRowIsRightHoweverItsBlocksShareThem) {
  expect_right("plain");
  expect_right("shifted_tail");
  expect_right("split_columns", pairs_of_blocks);
  expect_right("two_or_none");
  expect_right("persistent", R"g(["37", "1", "1"])g");
  expect_right("last_of_two", pairs_of_blocks);
  expect_right("both", pairs_of_blocks);
  expect_right("reversed", R"g(["ceil_div(Sq, 4) * Hq * B", "1", "1"])g");
  expect_right("heads_first", heads_along_x);
  expect_right("dynamic", R"g(["37", "1", "1"])g");
}

TEST_F(UnwrittenOutput, AnEvenGridIsSampledAndNotRunWhole) {
  for (const std::int64_t queries : {61, 64}) {
    experiment.shape.Sq = queries;
    const Measurement point = run("plain");
    ASSERT_EQ(point.status, Status::ok) << point.reason;
    EXPECT_LT(point.memory->blocks_run, point.memory->blocks_total / 2);
    EXPECT_LT(point.error->rows_checked, point.error->rows_total);
  }
}

TEST_F(UnwrittenOutput, ThreadsThatReturnAtOnceLeaveRowsInPart) {
  expect_wrong(
      "odd_lanes", plain_grid,
      "976 of 976 rows of the output were written only in part, the first at batch 0, head 0, query 0");
}

TEST_F(UnwrittenOutput, AGridThatIsTooSmallIsFoundWithTheNumbers) {
  expect_wrong("plain", R"g(["ceil_div(Sq, 8)", "Hq", "B"])g",
               "464 of 976 rows of the output were not written, the first at batch 0, head 0, query 32");
  expect_wrong("plain", R"g(["ceil_div(Sq, 4)", "1", "B"])g",
               "854 of 976 rows of the output were not written, the first at batch 0, head 1, query 0");
  expect_wrong("plain", R"g(["ceil_div(Sq, 4)", "Hq", "1"])g", "488 of 976 rows");
  expect_wrong("plain", R"g(["1", "1", "1"])g", "972 of 976 rows");
}

TEST_F(UnwrittenOutput, BlocksThatDoNothingOrWhatOthersDoAreFound) {
  expect_wrong("only_head_0", plain_grid, "854 of 976 rows");
  expect_wrong("always_head_0", plain_grid, "854 of 976 rows");
  expect_wrong("always_batch_0", plain_grid, "488 of 976 rows");
  expect_wrong("even_tiles", plain_grid, "464 of 976 rows");
  expect_wrong("short_tail", plain_grid,
               "16 of 976 rows of the output were not written, the first at batch 0, head 0, query 60");
}

TEST_F(UnwrittenOutput, OneRowThatNoSampledBlockOwnsIsFoundByAllBlocks) {
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const Measurement point = run("one_hole");
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_NE(point.reason.find(
                "1 of 976 rows of the output were not written, the first at batch 0, head 5, query 30"),
            std::string::npos)
      << point.reason;
}

TEST_F(UnwrittenOutput, ANanOfThePoisonsBitsIsANanAndNotUnwritten) {
  expect_wrong("nan_rows", plain_grid, "the result is NaN");
}

TEST_F(UnwrittenOutput, AGridTooLargeToRunIsJudgedByMoreBlocks) {
  experiment.shape = {8, 64, 64, 61, 4096, 32, DataType::fp16, false};
  const Measurement half = run("plain", R"g(["ceil_div(Sq, 8)", "Hq", "B"])g");
  EXPECT_EQ(half.status, Status::wrong_result);
  EXPECT_NE(half.reason.find("the grid writes 16384 of 31232 rows of the output"), std::string::npos)
      << half.reason;
  EXPECT_NE(half.reason.find("of 4096 blocks were interpreted"), std::string::npos) << half.reason;
  const Measurement one_head = run("always_head_0");
  EXPECT_EQ(one_head.status, Status::wrong_result);
  EXPECT_NE(one_head.reason.find("the same rows"), std::string::npos) << one_head.reason;
  EXPECT_EQ(run("plain").status, Status::ok);

  // Correct, but no sample can show it: there is no finding, and the point reports what is not known.
  for (const auto& [way, blocks] :
       {std::pair("two_or_none", plain_grid), std::pair("last_of_two", pairs_of_blocks),
        std::pair("heads_first", heads_along_x)}) {
    const Measurement uneven = run(way, blocks);
    EXPECT_EQ(uneven.status, Status::ok) << way << ": " << uneven.reason;
    const bool says_so = std::ranges::any_of(uneven.notes, [](const std::string& note) {
      return note.find("It is unknown whether every row of the output is written") != std::string::npos;
    });
    EXPECT_TRUE(says_so) << way << Json(uneven.notes).dump();
  }
}

LaunchGeometry grid(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t group) {
  LaunchGeometry geometry;
  geometry.grid_x = x;
  geometry.grid_y = y;
  geometry.grid_z = z;
  geometry.block_group = group;
  return geometry;
}

TEST(OutputCoverage, NeighboursDifferAlongOneAxis) {
  const auto indices = [](const std::vector<SampledBlock>& blocks) {
    std::vector<std::uint64_t> list;
    list.reserve(blocks.size());
    for (const SampledBlock& block : blocks) list.push_back(block.index);
    return list;
  };
  using Indices = std::vector<std::uint64_t>;
  EXPECT_EQ(indices(neighbour_blocks(grid(8, 4, 2, 1), {})), (Indices{0, 1, 8, 32}));
  EXPECT_EQ(indices(neighbour_blocks(grid(8, 4, 2, 1), {{1, {}}, {0, {}}})), (Indices{8, 32}));
  EXPECT_EQ(indices(neighbour_blocks(grid(8, 4, 1, 2), {{0, {}}, {1, {}}})), (Indices{2, 3, 8, 9}));
  EXPECT_TRUE(neighbour_blocks(grid(1, 1, 1, 1), {{0, {}}}).empty());
}

TEST(OutputCoverage, GroupsAreTakenTogether) {
  const LaunchGeometry geometry = grid(8, 1, 1, 2);
  // Both blocks of a group add to the same elements, which is not an overlap of two groups.
  const std::vector<BlockWrites> writes = {{0, {{0, 10}}}, {1, {{0, 10}}}, {6, {{30, 40}}}, {7, {}}};
  const std::vector<SampledBlock> blocks = {{0, 2}, {1, 2}, {6, 2}, {7, 2}};
  const Coverage coverage = coverage_of(blocks, writes, {}, geometry);
  EXPECT_EQ(coverage.elements, 40);
  EXPECT_FALSE(coverage.overlaps);
  EXPECT_TRUE(adds_up(coverage, 40));
  EXPECT_FALSE(adds_up(coverage, 41));
  EXPECT_TRUE(coverage_of(blocks, writes, {{2, {{9, 12}}}}, geometry).overlaps);
}

TEST(OutputCoverage, ASampleThatPredictsWhatOthersWriteIsTrusted) {
  const LaunchGeometry geometry = grid(10, 2, 1, 1);
  const auto wrote = [](std::uint64_t block, std::int64_t count) { return BlockWrites{block, {{0, count}}}; };
  const std::vector<BlockWrites> sample = {wrote(0, 10), wrote(8, 50), wrote(19, 7)};
  EXPECT_TRUE(predicts(sample, {wrote(4, 30), wrote(14, 30), wrote(9, 7)}, geometry));
  EXPECT_FALSE(predicts(sample, {wrote(4, 30), wrote(15, 30)}, geometry));
  EXPECT_FALSE(predicts({}, {wrote(4, 30)}, geometry));
}

TEST(OutputCoverage, OtherBlocksAreWholeGroupsWithTheCornersAmongThem) {
  EXPECT_EQ(other_blocks(grid(8, 2, 1, 2), 100).size(), 16U);
  EXPECT_EQ(other_blocks(grid(8, 1, 1, 8), 5).size(), 8U);
  const auto some = other_blocks(grid(64, 8, 4, 4), 10);
  ASSERT_EQ(some.size(), (8U + 10U) * 4U);
  EXPECT_EQ(some.front().index, 0U);
  EXPECT_EQ(some.back().index, 64U * 8U * 4U - 1U);
  for (std::size_t i = 1; i < some.size(); ++i) EXPECT_GT(some[i].index, some[i - 1].index);
}

}  // namespace
}  // namespace tilescope
