// Arrays of an opened file in shared memory: their rows, and columns that are added to them.
#include <algorithm>
#include <tuple>

#include "profiler/measure/open/tests/opened_files.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

class OpenedArrays : public test_support::OpenedFiles {
 protected:
  static OpenFile::Params with(const std::string& choice, const std::string& value) {
    OpenFile::Params params;
    params.chosen[choice] = value;
    return params;
  }
  RecordingSummary record(const std::string& text, std::map<std::string, std::string> chosen = {}) {
    const OpenedPoint point = open_text(text);
    RecordBlock::Params params;
    params.file.emplace();
    params.file->subject.code = {"/kernel.cu", text};
    params.file->subject.entry = point.entry;
    params.file->subject.launch = SentFile{"the launch", point.launch};
    params.file->chosen = std::move(chosen);
    params.file->device = "L4";
    return test_support::ask<RecordBlock>(make_measure_service(installation), params,
                                          test_support::no_control);
  }
  // The most wavefronts of a pass of an access to shared memory.
  static std::int64_t worst_degree(const OpenedPoint& point) {
    std::int64_t worst = 0;
    for (const MemorySite& site : point.memory->sites)
      worst = std::max<std::int64_t>(worst, site.worst_degree);
    return worst;
  }
};

constexpr const char* columns_read =
    "#define TILE 32\n"
    "template <typename T, int ROWS> __global__ void turn(const T* in, T* out) {\n"
    "  __shared__ T tile[ROWS][TILE];\n  __shared__ T line[TILE * 2];\n"
    "  for (int i = 0; i < ROWS; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(threadIdx.y + i) * TILE + "
    "threadIdx.x];\n"
    "  line[threadIdx.x] = in[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  for (int i = 0; i < TILE; i += 8)\n"
    "    out[(threadIdx.y + i) * ROWS + threadIdx.x] = tile[threadIdx.x][threadIdx.y + i] + "
    "line[threadIdx.x];\n"
    "}\n"
    "int main() { float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);\n"
    "  turn<float, 32><<<1, dim3(32, 8)>>>(a, b); }\n";

TEST_F(OpenedArrays, HaveTheRowsOfTheirDeclaration) {
  const RecordingSummary summary = record(columns_read);
  ASSERT_EQ(summary.status, Status::ok) << summary.reason;
  ASSERT_EQ(summary.source_tiles.size(), 2U);
  const auto tile = std::ranges::find(summary.source_tiles, "tile", &SourceTile::name);
  ASSERT_NE(tile, summary.source_tiles.end());
  EXPECT_EQ(tile->sizes, (std::vector<std::string>{"ROWS", "TILE"}));
  EXPECT_EQ(tile->counts, (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(tile->element_bytes, 4);
  EXPECT_EQ(tile->rows(), 32);
  EXPECT_EQ(tile->line, 3);
  EXPECT_TRUE(tile->can_grow);
  const auto line = std::ranges::find(summary.source_tiles, "line", &SourceTile::name);
  ASSERT_NE(line, summary.source_tiles.end());
  EXPECT_EQ(line->rows(), 1);
  EXPECT_FALSE(line->can_grow) << "it has no rows";
}

TEST_F(OpenedArrays, GrowInTheTextThatIsCompiled) {
  EXPECT_EQ(worst_degree(open_text(columns_read)), 32);
  const OpenedPoint grown = open_text(columns_read, with("tile: added columns", "1"));
  EXPECT_EQ(grown.status, Status::unchecked) << grown.reason;
  EXPECT_EQ(worst_degree(grown), 1);
  EXPECT_EQ(grown.parameters.at("tile: added columns"), ParameterValue(std::int64_t{1}));
  const RecordingSummary summary = record(columns_read, {{"tile: added columns", "1"}});
  const auto tile = std::ranges::find(summary.source_tiles, "tile", &SourceTile::name);
  ASSERT_NE(tile, summary.source_tiles.end());
  EXPECT_EQ(tile->sizes.back(), "TILE") << "as the file has it";
  EXPECT_EQ(tile->counts.back(), 33);
  EXPECT_EQ(tile->added_columns, 1);
}

TEST_F(OpenedArrays, ThatAreNotThereCannotGrow) {
  for (const auto& [choice, value, words] : {std::tuple{"tole: added columns", "1", "no array 'tole'"},
                                             {"line: added columns", "1", "no array 'line'"},
                                             {"tile: added columns", "-1", "whole number from 0"}}) {
    const OpenedPoint point = open_text(columns_read, with(choice, value));
    EXPECT_EQ(point.problem, FileProblem::launch) << choice;
    EXPECT_TRUE(test_support::says(point.reason, words)) << point.reason;
  }
}

TEST_F(OpenedArrays, OfAHeaderAreRecordedInTheMachineCode) {
  // A file without a kernel of its own is not PTX, either.
  std::filesystem::create_directories(folder());
  std::ofstream(folder() / "turn.cuh") << columns_read;
  const std::string text = "#include \"turn.cuh\"\n";
  RecordBlock::Params params;
  params.file.emplace();
  params.file->subject.code = {(folder() / "turn.cu").string(), text};
  OpenFile::Params opened;
  opened.subject.code = params.file->subject.code;
  const OpenedPoint point = open(opened);
  params.file->subject.entry = point.entry;
  params.file->subject.launch = SentFile{"the launch", point.launch};
  params.file->device = "L4";
  const RecordingSummary summary =
      test_support::ask<RecordBlock>(make_measure_service(installation), params, test_support::no_control);
  ASSERT_EQ(summary.status, Status::ok) << summary.reason;
  ASSERT_FALSE(summary.instructions.empty());
  EXPECT_FALSE(summary.instructions.front().at("address").is_null());
}

}  // namespace
}  // namespace tilescope
