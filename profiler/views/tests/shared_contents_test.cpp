#include "profiler/views/step/shared_contents.hpp"

#include <gtest/gtest.h>

#include "profiler/views/tests/step_samples.hpp"

namespace tilescope {
namespace {

using Words = std::vector<std::optional<std::uint32_t>>;

class SharedContentsTest : public ::testing::Test {
 protected:
  SharedContentsTest() {
    TileLayout halves;
    halves.rows = 2;
    halves.columns = 64;
    halves.element_bytes = 2;
    halves.pitch = 64;
    for (std::uint32_t i = 0; i < 128; ++i) halves.index.push_back(i);
    // K of two rows, then 64 B that no layout declares.
    grid_ = BankGrid(0, 384, {{"K", 0, 256, halves}, {"scratch", 256, 64}}, {});
    stop_ = samples::step_stop(10);
    stop_.tiles = {samples::step_tile("K", 2, "K", 128, 1)};
    stop_.shared_words = Words(96);
    stop_.shared_words[0] = 0xb8003c00;  // 1 and -0.5
    stop_.shared_words[64] = 0x3f800000;
  }
  SharedContents contents(const Words& before = {}) const {
    return shared_contents(stop_, before, reference::Format::fp16);
  }

  BankGrid grid_;
  StepStop stop_;
};

TEST_F(SharedContentsTest, SaysWhatAWordHoldsAndWhatChanged) {
  Words before(96);
  before[64] = 0x3f800000;
  const SharedContents now = contents(before);
  EXPECT_EQ(now.changes, 1U);
  EXPECT_EQ(now.unwritten, 94U);
  EXPECT_EQ(content_text(grid_, now, 0), "1.00 -0.50");
  EXPECT_EQ(content_text(grid_, now, 1), "");
  EXPECT_EQ(content_text(grid_, now, 64), "3f800000") << "nothing says that it is a float";
  const auto second = content_details(grid_, now, 2);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0], TextPair("Value", "-0.5, written since the stop before"));
  EXPECT_EQ(second[1], TextPair("Holds", "row 128 of K"));
  EXPECT_EQ(content_details(grid_, now, 256)[0], TextPair("Value", "0x3f800000, as a float 1"));
  EXPECT_EQ(content_details(grid_, now, 4)[0], TextPair("Value", "not written yet"));
  EXPECT_TRUE(content_details(grid_, now, 384).empty());
  EXPECT_EQ(contents().changes, 0U) << "nothing to compare with";
}

TEST_F(SharedContentsTest, DrawsThreeStatesOfEachPart) {
  Words before(96);
  before[64] = 0x3f800000;
  const SharedContents now = contents(before);
  const auto state = [&](std::int64_t word) { return state_of_look(content_look(grid_, now, word)); };
  EXPECT_EQ(state(0), WordState::changed);
  EXPECT_EQ(state(1), WordState::unwritten);
  EXPECT_EQ(state(64), WordState::written);
  EXPECT_EQ(part_of_content(grid_, content_look(grid_, now, 64)), 1U);
  EXPECT_EQ(content_look(grid_, now, 90), BankGrid::unused);
  EXPECT_EQ(content_look(grid_, now, 96), BankGrid::outside);
  // All three rows in one line: a change is seen before all else.
  const auto boxes = contents_boxes(grid_, now, 0, 3, 3);
  ASSERT_FALSE(boxes.empty());
  EXPECT_EQ(boxes[0].bank, 0);
  EXPECT_EQ(state_of_look(boxes[0].look), WordState::changed);
}

TEST_F(SharedContentsTest, AWordThatIsWrittenWhereNoPartIsHasNoPart) {
  stop_.shared_words[90] = 1;
  const SharedContents now = contents();
  const std::int32_t look = content_look(grid_, now, 90);
  EXPECT_EQ(state_of_look(look), WordState::written);
  EXPECT_FALSE(part_of_content(grid_, look));
}

TEST_F(SharedContentsTest, NamesTheRowsThatATileHolds) {
  EXPECT_EQ(contents_words(samples::step_tile("K", 4, "K", 64, 4)), "K 64 to 67");
  EXPECT_EQ(contents_words(samples::step_tile("K", 4, "K", 64, 1)), "K 64; unwritten (3 rows)");
  TileStop output = samples::step_tile("O", 2, "O", 0, 0);
  for (TileRowStop& row : output.rows) row.is_unwritten = false;
  EXPECT_EQ(contents_words(output), "written (2 rows)");
  EXPECT_EQ(content_name(grid_, contents(), 0), "K: K 128; unwritten");
  EXPECT_EQ(content_name(grid_, contents(), 1), "scratch") << "what no stop describes";
}

TEST_F(SharedContentsTest, HasTheTypesThatAFilesSourceGives) {
  SourceTile numbers;
  numbers.name = "scratch";
  numbers.type = "unsigned int";
  numbers.element_bytes = 4;
  grid_ = BankGrid(0, 384, {{"K", 0, 256}, {"scratch", 256, 64}}, {}, {numbers});
  EXPECT_EQ(content_text(grid_, contents(), 64), "1065353216");
  EXPECT_EQ(content_details(grid_, contents(), 256)[0], TextPair("Value", "1065353216"));
  numbers.type = "float";
  grid_ = BankGrid(0, 384, {{"K", 0, 256}, {"scratch", 256, 64}}, {}, {numbers});
  EXPECT_EQ(content_text(grid_, contents(), 64), "1");
  numbers.name = "K";
  numbers.type = "__nv_bfloat16";
  numbers.element_bytes = 2;
  grid_ = BankGrid(0, 384, {{"K", 0, 256}, {"scratch", 256, 64}}, {}, {numbers});
  EXPECT_EQ(content_text(grid_, contents(), 0), "0.01 -0.00") << "the words are halves";
}

TEST_F(SharedContentsTest, OfAFileAreOfArraysAtTheSamePlaces) {
  const auto at = [](const char* name, std::int64_t offset) { return ArrayStop{name, offset}; };
  EXPECT_TRUE(lie_as_stepped(grid_, {at("K", 0), at("scratch", 256)}));
  EXPECT_FALSE(lie_as_stepped(grid_, {at("K", 64), at("scratch", 0)}));
  EXPECT_FALSE(lie_as_stepped(grid_, {at("a", 0), at("b", 256)})) << "the machine code has no names";
  EXPECT_TRUE(lie_as_stepped(grid_, {at("a", 0)})) << "one array has one place";
  EXPECT_TRUE(lie_as_stepped(grid_, {}));
}

}  // namespace
}  // namespace tilescope
