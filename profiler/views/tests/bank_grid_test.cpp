#include "profiler/views/memory/bank_grid.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilescope {
namespace {

using Kind = BankGridPart::Kind;

TileLayout plain_layout(std::int64_t rows, std::int64_t columns, std::int64_t element_bytes,
                        std::int64_t pitch) {
  TileLayout layout{rows, columns, element_bytes, pitch, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      layout.index.push_back(static_cast<std::uint32_t>(row * pitch + column));
  }
  return layout;
}

// A static array of 64 B, then K: 4 rows of 64 elements of 2 B with 16 B of padding behind each, then 32 B that no tile
// names, then row_max in 16 B without rows.
class BankGridView : public testing::Test {
 protected:
  std::vector<NamedTile> arrays = {{"flags", 0, 64}, {"shared", 64, 0}};
  std::vector<TileRange> tiles = {{"K", 64, 4 * 144, plain_layout(4, 64, 2, 72)}, {"row_max", 672, 16}};
  BankGrid grid{64, 624, tiles, arrays};

  static std::int64_t words_in(const std::vector<BankGridBox>& boxes, std::int32_t look) {
    std::int64_t words = 0;
    for (const BankGridBox& box : boxes) words += box.look == look ? box.rows * box.banks : 0;
    return words;
  }
};

TEST_F(BankGridView, HasArraysAndTilesByName) {
  EXPECT_EQ(grid.bytes(), 688);
  EXPECT_EQ(grid.rows(), 6);
  ASSERT_EQ(grid.parts().size(), 3U);
  EXPECT_EQ(grid.parts()[0].kind, Kind::array);
  EXPECT_EQ(grid.parts()[0].name, "flags");
  EXPECT_EQ(grid.parts()[1].name, "K");
  EXPECT_EQ(grid.parts()[1].padding_bytes, 4 * 16);
  EXPECT_EQ(grid.parts()[1].first_row(), 0);
  EXPECT_EQ(grid.parts()[1].end_row(), 5);
  EXPECT_EQ(grid.parts()[2].rows, 0);
}

TEST_F(BankGridView, ShowsElementsPaddingAndWhatIsUnused) {
  const std::int32_t k = 2;  // part 1
  EXPECT_EQ(grid.look(0), 0) << "the array";
  EXPECT_EQ(grid.look(16), k);
  EXPECT_EQ(grid.look(16 + 31), k);
  EXPECT_EQ(grid.look(16 + 32), k + 1);
  EXPECT_TRUE(BankGrid::is_padding(grid.look(16 + 35)));
  EXPECT_EQ(grid.look(16 + 36), k) << "row 1";
  EXPECT_EQ(grid.look(640 / 4), BankGrid::unused);
  EXPECT_EQ(BankGrid::part_of(grid.look(672 / 4)), 2U);
  EXPECT_EQ(grid.look(688 / 4), BankGrid::outside);
  EXPECT_EQ(grid.look(-1), BankGrid::outside);
}

TEST_F(BankGridView, BoxesCoverEveryWordOnce) {
  const auto boxes = grid.boxes(0, grid.rows(), 1);
  std::vector<int> covered(static_cast<std::size_t>(grid.rows() * grid_banks), 0);
  for (const BankGridBox& box : boxes) {
    for (std::int64_t row = box.row; row < box.row + box.rows; ++row) {
      for (std::int64_t bank = box.bank; bank < box.bank + box.banks; ++bank) {
        const std::int64_t word = row * grid_banks + bank;
        EXPECT_EQ(grid.look(word), box.look);
        ++covered[static_cast<std::size_t>(word)];
      }
    }
  }
  for (std::int64_t word = 0; word < grid.rows() * grid_banks; ++word)
    EXPECT_EQ(covered[static_cast<std::size_t>(word)], word < grid.words() ? 1 : 0) << word;
  EXPECT_EQ(words_in(boxes, 3), 4 * 16 / 4) << "the padding of K";
}

TEST_F(BankGridView, AlikeLinesAreOneBox) {
  const BankGrid whole(0, 100 << 10, {{"K", 0, 64 << 10}, {"V", 64 << 10, 36 << 10}}, {});
  EXPECT_EQ(whole.boxes(0, whole.rows(), 1),
            (std::vector<BankGridBox>{{0, 512, 0, 32, 0}, {512, 288, 0, 32, 2}}));
  EXPECT_EQ(whole.boxes(510, 514, 1), (std::vector<BankGridBox>{{510, 2, 0, 32, 0}, {512, 2, 0, 32, 2}}));
}

TEST_F(BankGridView, ALineOfSeveralRowsShowsTheSmallestPart) {
  const auto boxes = grid.boxes(0, grid.rows(), 6);
  ASSERT_FALSE(boxes.empty());
  for (const BankGridBox& box : boxes) EXPECT_EQ(box.rows, 6);
  EXPECT_EQ(words_in(boxes, 4) / 6, 4) << "row_max has 4 words, K is larger";
  EXPECT_EQ(words_in(boxes, 0) / 6, 12) << "16 words of flags without those below row_max";
  EXPECT_EQ(words_in(boxes, 3), 0) << "each bank has elements of K, too";
}

TEST_F(BankGridView, PartsThatOverlapAreAllKnown) {
  BankGrid both(0, 512, {{"K 0", 0, 256}, {"V 0", 256, 256}, {"Q", 128, 256, plain_layout(2, 64, 2, 64)}},
                {});
  EXPECT_EQ(both.parts_at(128), (std::vector<std::size_t>{0, 2})) << "the first declared is shown";
  EXPECT_EQ(byte_words(both, 130), "K 0 + 130 B");
  EXPECT_EQ(byte_details(both, 130).back(), (TextPair{"Also", "Q, row 0, column 1"}));
  both.bring_to_front(2);
  EXPECT_EQ(names_in_middle(both, 2), "Q / V 0");
  EXPECT_EQ(names_in_middle(both, 1), "V 0") << "Q ends before its middle";
  EXPECT_EQ(both.parts_at(128), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(byte_words(both, 130), "Q, row 0, column 1");
  both.bring_to_front(std::nullopt);
  EXPECT_EQ(names_in_middle(both, 2), "") << "V 0 covers it";
  EXPECT_EQ(both.parts_at(128).front(), 0U);
}

TEST_F(BankGridView, StagesOfATileShareAColor) {
  const BankGrid stages(
      0, 512, {{"K 0", 0, 64}, {"V 0", 64, 64}, {"K 1", 128, 64}, {"row_max", 192, 64}, {"mine", 256, 64}},
      {});
  EXPECT_EQ(stages.parts()[0].color, stages.parts()[2].color);
  std::set<std::size_t> colors;
  for (const BankGridPart& part : stages.parts()) colors.insert(part.color);
  EXPECT_EQ(colors.size(), 4U);
  const BankGrid both(0, 64, {{"K and V", 0, 64}}, {});
  EXPECT_EQ(both.parts()[0].color, stages.parts()[0].color);
}

TEST_F(BankGridView, SaysWhereAByteLies) {
  EXPECT_EQ(byte_words(grid, 64), "K, row 0, column 0");
  EXPECT_EQ(byte_words(grid, 64 + 144 + 5), "K, row 1, column 2");
  EXPECT_EQ(byte_words(grid, 64 + 130), "K, padding");
  EXPECT_EQ(byte_words(grid, 673), "row_max + 1 B");
  EXPECT_EQ(byte_words(grid, 645), "unused");
  EXPECT_EQ(byte_words(grid, 5), "flags + 5 B");
  EXPECT_EQ(byte_details(grid, 64 + 144 + 5),
            (std::vector<TextPair>{{"Bytes", "212 to 213"}, {"In K", "+ 148 B"}, {"Bank", "21"}}));
  EXPECT_EQ(byte_details(grid, 64 + 130),
            (std::vector<TextPair>{{"Byte", "194"}, {"In K", "+ 130 B"}, {"Bank", "16"}}))
      << "padding";
}

TEST_F(BankGridView, AWordSaysItsElements) {
  EXPECT_EQ(word_text(grid, 16), "0,0-1");
  EXPECT_EQ(word_text(grid, 16 + 36 + 3), "1,6-7");
  EXPECT_EQ(word_text(grid, 16 + 33), "") << "padding";
  EXPECT_EQ(word_text(grid, 672 / 4 + 1), "+4");
  EXPECT_EQ(word_text(grid, 161), "");
  const BankGrid floats(0, 64, {{"O", 0, 64, plain_layout(4, 4, 4, 4)}}, {});
  EXPECT_EQ(word_text(floats, 6), "1,2");
  const BankGrid column_major(0, 16, {{"T", 0, 16, TileLayout{2, 4, 2, 4, {0, 2, 4, 6, 1, 3, 5, 7}}}}, {});
  EXPECT_EQ(word_text(column_major, 1), "0,1 1,1");
}

TEST_F(BankGridView, SaysWhatIsNotDeclared) {
  EXPECT_EQ(undeclared_words(grid),
            "Rows and columns of some tiles are not declared: they are shown by bytes.");
  EXPECT_EQ(undeclared_words(BankGrid(0, 64, {{"K", 0, 64}}, {})),
            "Rows and columns are not declared: tiles are shown by bytes.");
  const BankGrid bare(64, 128, {}, arrays);
  EXPECT_EQ(undeclared_words(bare), "This kernel declares no tiles: addresses only.");
  ASSERT_EQ(bare.parts().size(), 2U);
  EXPECT_EQ(bare.parts()[1].name, "shared") << "as the kernel's source calls it";
  EXPECT_EQ(byte_words(bare, 100), "shared + 36 B");
  EXPECT_EQ(undeclared_words(BankGrid(0, 64, {{"O", 0, 64, plain_layout(4, 4, 4, 4)}}, {})), "");
}

TEST_F(BankGridView, HasATable) {
  EXPECT_EQ(bank_grid_csv(grid),
            "name,kind,offset [B],bytes,rows,columns,element [B],pitch [elements],padding [B]\r\n"
            "flags,static array,0,64,,,,,\r\n"
            "K,tile,64,576,4,64,2,72,64\r\n"
            "row_max,tile,672,16,,,,,\r\n");
}

TEST_F(BankGridView, WithoutSharedMemoryIsEmpty) {
  const BankGrid none(0, 0, {}, {});
  EXPECT_EQ(none.rows(), 0);
  EXPECT_TRUE(none.parts().empty());
  EXPECT_TRUE(none.boxes(0, 10, 1).empty());
  EXPECT_TRUE(BankGrid().boxes(0, 10, 1).empty());
}

}  // namespace
}  // namespace tilescope
