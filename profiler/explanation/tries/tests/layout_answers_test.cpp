#include "profiler/explanation/tries/layout_answers.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "profiler/explanation/layouts/tests/recording_builder.hpp"
#include "profiler/views/memory/file_tiles.hpp"

namespace tilescope {
namespace {

// Rows of 64 elements of 2 B, of which a warp reads a column, 16 B a lane: 8-way conflicts.
FoundLayouts columns_read() {
  RecordingBuilder builder;
  const std::uint32_t site = builder.add_site("K", simt::Access::load, 16, 128);
  builder.add_access(
      site, [](int lane) { return static_cast<std::uint64_t>(lane) * 128; }, 3);
  auto block = std::make_shared<RecordedBlock>();
  block->recording = builder.recording();
  SolverQuestion question;
  question.tile = {"K", 0, 32 * 64 * 2, std::nullopt};
  question.elements.shape = {32, 64, 2};
  question.elements.places = places_of({}, question.elements.shape);
  question.is_declared = true;
  question.shared_bytes = 4096;
  FoundLayouts found;
  found.solved = solve_layouts(block->recording, question);
  found.block = block;
  found.tiles = {{"K", 96, 84, true}, {"V", 900, 46, true}, {"O", 100, 0, true}};
  return found;
}

TEST(LayoutAnswers, ArePaddingAndSwizzleWithWhatToPaste) {
  const std::vector<LayoutAnswer> answers = layout_answers(columns_read());
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].layout, "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(answers[0].swizzle, "Swizzle<3, 4, 3> on bytes, Swizzle<3, 3, 3> on elements");
  EXPECT_EQ(answers[0].index, "row * 64 + (((column / 8) ^ (row % 8)) * 8) + column % 8");
  EXPECT_EQ(answers[0].before, 96);
  EXPECT_EQ(answers[0].minimum, 12);
  EXPECT_EQ(answers[0].promised, 12);
  EXPECT_FALSE(answers[0].change.has_value());
  EXPECT_EQ(answers[1].layout, "pad 16 B");
  EXPECT_EQ(answers[1].swizzle, "");
  EXPECT_EQ(answers[1].promised, 12);
  EXPECT_TRUE(layout_answers({}).empty());
}

TEST(LayoutAnswers, AreAboutTilesWithNotableConflicts) {
  EXPECT_EQ(conflicting_tiles(columns_read()), std::vector<std::string>{"K"}) << "V: 4 % of the wavefronts";
}

// The array of columns_read() in a file, whose source declares it.
FoundLayouts columns_read_of_file(bool is_declared) {
  RecordedBlock block = *columns_read().block;
  block.file_kernel = "file.cu: k";
  SourceTile tile;
  tile.name = "K";
  tile.bytes = 32 * 64 * 2;
  tile.type = "half";
  tile.element_bytes = 2;
  tile.sizes = is_declared ? std::vector<std::string>{"ROWS", "D"} : std::vector<std::string>{"ROWS * D"};
  tile.counts = is_declared ? std::vector<std::int64_t>{32, 64} : std::vector<std::int64_t>{2048};
  block.recording.arrays = {{"K", 0, 4096}};
  block.static_shared_bytes = 4096;
  divide_file_memory({tile}, block);
  sum_up(block);
  return find_layouts({std::make_shared<const RecordedBlock>(std::move(block)), ""}, {}, {});
}

TEST(LayoutAnswers, OfAFileAreDeclarations) {
  const std::vector<LayoutAnswer> answers = layout_answers(columns_read_of_file(true));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].layout, "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(words_of({answers[0]}).at(0).layout, answers[0].layout) << "a file has no parameters";
  EXPECT_EQ(answers[1].declaration, "half K[ROWS][D + 8]");
  EXPECT_EQ(answers[1].added_columns, 8);
  EXPECT_EQ(answers[1].index, "");
  EXPECT_EQ(words_of({answers[1]}).at(0).layout, "pad 16 B: half K[ROWS][D + 8]");
  EXPECT_EQ(Json(answers[1])["declaration"], "half K[ROWS][D + 8]");
  EXPECT_TRUE(Json(answers[1])["row_elements"].is_null());
}

TEST(LayoutAnswers, OfAFileWithoutRowsTakeTheDistanceBetweenLanes) {
  const FoundLayouts found = columns_read_of_file(false);
  ASSERT_TRUE(found.solved) << found.why_not;
  EXPECT_TRUE(found.solved->has_rows_of_lanes);
  EXPECT_EQ(found.solved->shape, (TileShape{32, 64, 2}));
  const std::vector<LayoutAnswer> answers = layout_answers(found);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].index, "offset ^ (offset >> 3 & 56)");
  EXPECT_EQ(answers[0].row_elements, 0) << "the offset is enough";
  EXPECT_EQ(answers[1].index, "row * 72 + column");
  EXPECT_EQ(answers[1].row_elements, 64);
  EXPECT_EQ(answers[1].promised, 12);
  EXPECT_EQ(words_of({answers[1]}).at(0).layout,
            "pad 16 B, with row = i / 64 and column = i % 64 of an index i now");
}

TEST(LayoutAnswers, KeepStaticArraysWithinTheCompilersLimit) {
  FoundLayouts found = columns_read_of_file(true);
  auto block = std::make_shared<RecordedBlock>(*found.block);
  block->static_shared_bytes = 48 * 1024;
  DeviceModel device;
  device.shared_bytes_per_block_optin = 99 * 1024;
  found = find_layouts({block, ""}, {}, device);
  for (const RankedLayout& ranked : found.solved->layouts)
    EXPECT_FALSE(ranked.works && ranked.padding_bytes > 0) << ranked.words;
}

std::string tile_of(const LayoutAnswer& answer) {
  return words_of({answer}).at(0).tiles.at(0);
}

TEST(LayoutAnswers, SayWhetherWhatIsPromisedWasCounted) {
  LayoutAnswer answer = layout_answers(columns_read()).at(1);
  EXPECT_EQ(words_of({answer}).at(0).layout, "pad 16 B: no parameter has it");
  EXPECT_EQ(tile_of(answer), "K: 12 wavefronts instead of 96, as promised");
  answer.change = ParameterChange{"SMEM_LAYOUT", std::string("padded")};
  EXPECT_EQ(words_of({answer}).at(0).layout, "pad 16 B: SMEM_LAYOUT=padded");
  answer.counted = 12;
  EXPECT_EQ(tile_of(answer), "K: 12 wavefronts instead of 96, as promised and counted");
  answer.counted = 14;
  EXPECT_EQ(tile_of(answer),
            "K: 12 wavefronts promised, 14 counted instead of 96: other accesses come with it");
  const Json json = answer;
  EXPECT_EQ(json["wavefronts_counted"], 14);
  EXPECT_EQ(json["value"], "padded");
  EXPECT_TRUE(json["swizzle"].is_null());
}

TEST(LayoutAnswers, TilesOfOneLayoutShareItsWords) {
  std::vector<LayoutAnswer> answers = layout_answers(columns_read());
  answers.push_back(answers[0]);
  answers.back().tile = "V";
  const std::vector<LayoutWords> words = words_of(answers);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0].tiles.size(), 2U);
  EXPECT_EQ(words[0].swizzle, "Swizzle<3, 4, 3> on bytes, Swizzle<3, 3, 3> on elements");
  EXPECT_EQ(words[1].tiles.size(), 1U);
}

}  // namespace
}  // namespace tilescope
