// The shared memory of a file's block, which nothing declares as a kernel of the ladder does.
#include "profiler/views/memory/file_tiles.hpp"

#include <gtest/gtest.h>

#include "profiler/explanation/layouts/tests/recording_builder.hpp"
#include "profiler/views/memory/array_declaration.hpp"

namespace tilescope {
namespace {

SourceTile declared(std::int64_t columns) {
  SourceTile tile;
  tile.name = "tile";
  tile.bytes = 32 * columns * 4;
  tile.type = "float";
  tile.element_bytes = 4;
  tile.sizes = {"TILE", "TILE + PAD"};
  tile.counts = {32, columns};
  return tile;
}

// Every lane writes a word of the first row.
RecordedBlock with_row(const std::string& array, std::uint64_t offset = 0) {
  RecordingBuilder builder;
  const std::uint32_t site = builder.add_site(array, simt::Access::store, 4, 12);
  builder.add_access(
      site, [&](int lane) { return offset + static_cast<std::uint64_t>(lane) * 4; }, 1);
  RecordedBlock block;
  block.file_kernel = "file.cu: k";
  block.recording = builder.recording();
  return block;
}

TEST(FileTiles, HaveTheRowsOfTheSourceAndItsPaddingApart) {
  RecordedBlock block = with_row("tile");
  block.recording.arrays = {{"tile", 0, 32 * 33 * 4}};
  divide_file_memory({declared(33)}, block);
  ASSERT_EQ(block.tiles.size(), 1U);
  ASSERT_TRUE(block.tiles[0].layout);
  EXPECT_EQ(block.tiles[0].layout->rows, 32);
  EXPECT_EQ(block.tiles[0].layout->columns, 32) << "no access reaches the last column";
  EXPECT_EQ(block.tiles[0].layout->pitch, 33);
  EXPECT_EQ(block.tiles[0].layout->index[32], 33U);
  EXPECT_TRUE(block.recording.arrays.empty()) << "it is a tile now";
}

TEST(FileTiles, KeepColumnsThatABlockDoesNotNeed) {
  RecordedBlock block = with_row("tile");
  EXPECT_EQ(columns_in_use(declared(64), block.recording), 64) << "half of a row is no padding";
  EXPECT_EQ(columns_in_use(declared(40), block.recording), 32);
  EXPECT_EQ(columns_in_use(declared(32), block.recording), 32);
}

TEST(FileTiles, DivideDynamicMemoryByWhatIsReached) {
  RecordedBlock block = with_row("pool");
  RecordingBuilder builder;
  const std::uint32_t first = builder.add_site("pool", simt::Access::store, 4, 12);
  const std::uint32_t same = builder.add_site("pool", simt::Access::load, 4, 14);
  const std::uint32_t other = builder.add_site("pool", simt::Access::load, 2, 15);
  builder.add_access(
      first, [](int lane) { return static_cast<std::uint64_t>(lane) * 4; }, 1);
  builder.add_access(
      same, [](int lane) { return static_cast<std::uint64_t>(lane) * 4 + 64; }, 1);
  builder.add_access(
      other, [](int lane) { return static_cast<std::uint64_t>(lane) * 2 + 1024; }, 1);
  block.recording = builder.recording();
  block.recording.arrays = {{"pool", 0, 0}};
  divide_file_memory({}, block);
  ASSERT_EQ(block.tiles.size(), 2U);
  EXPECT_EQ(block.tiles[0], (TileRange{"pool + 0 B", 0, 192, std::nullopt}));
  EXPECT_EQ(block.tiles[1], (TileRange{"pool + 1,024 B", 1024, 64, std::nullopt}));
  EXPECT_EQ(block.recording.sites[same].tile, "pool + 0 B");
  EXPECT_EQ(block.recording.sites[other].tile, "pool + 1,024 B");
}

TEST(FileTiles, HaveOneNameWithoutAnyArray) {
  RecordedBlock block = with_row("", 256);
  divide_file_memory({}, block);
  ASSERT_EQ(block.tiles.size(), 1U);
  EXPECT_EQ(block.tiles[0], (TileRange{"shared memory", 256, 128, std::nullopt}));
}

TEST(ArrayDeclaration, HasTheColumnsThatAreAdded) {
  SourceTile tile = declared(33);
  EXPECT_EQ(declaration_words(tile), "float tile[TILE][TILE + PAD]");
  EXPECT_EQ(declaration_words(tile, 3), "float tile[TILE][TILE + PAD + 3]");
  EXPECT_EQ(size_words(tile, -1), "[TILE + PAD - 1]");
  tile.added_columns = 1;
  EXPECT_EQ(declaration_words(tile, 3), "float tile[TILE][TILE + PAD + 4]") << "the file lacks the first one";
  EXPECT_EQ(declaration_words(tile, -1), "float tile[TILE][TILE + PAD]");
  tile.sizes.back() = "33";
  EXPECT_EQ(size_words(tile, 1), "[34]");
  tile.sizes.back() = "WIDE ? 64 : 33";
  EXPECT_EQ(size_words(tile, 1), "[(WIDE ? 64 : 33) + 2]");
}

}  // namespace
}  // namespace tilescope
