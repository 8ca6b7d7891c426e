#include "sessions/shape_set.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Shapes = std::vector<Shape>;

const fs::path shipped = fs::path(TILESCOPE_SOURCE_DIR) / "assets/shapes";

class ShapeSetFile : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string complaint(const fs::path& file) {
    try {
      load_shape_set(file);
    } catch (const ShapeSetError& error) {
      return error.what();
    }
    return "";
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_ =
      fs::path(::testing::TempDir()) /
      ("shape_set_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

std::string typed_complaint(const std::string& text) {
  try {
    find_shape_set(text, shipped);
  } catch (const ShapeSetError& error) {
    return error.what();
  }
  return "";
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

TEST(ShapeText, HasSizesMaskAndType) {
  EXPECT_EQ(shape_from_text("1,32/8,512/4096,128"), (Shape{1, 32, 8, 512, 4096, 128, DataType::fp16, false}));
  EXPECT_EQ(shape_from_text("2,8,512x1024,64 bf16 causal"),
            (Shape{2, 8, 8, 512, 1024, 64, DataType::bf16, true}));
  EXPECT_EQ(shape_from_text("2,8,512,64 causal fp16"), (Shape{2, 8, 8, 512, 512, 64, DataType::fp16, true}));
  for (const char* text : {"1,32/8,512/4096,128 causal bf16", "1,8,512,64", "4,16,77,64 causal"})
    EXPECT_EQ(shape_to_text(shape_from_text(text)), text);
}

TEST(ShapeText, OfAnotherFormIsRefused) {
  for (const char* text :
       {"", "1,8,512", "1,8,512,64,1", "1,8/3,512,64", "1,8,0,64", "1,8,512,64 masked",
        "1,8,512,64 causal causal", "1,8,512,64 fp16 bf16", "1,8/4/2,512,64", "1,8,5.5,64"})
    EXPECT_THROW(shape_from_text(text), std::invalid_argument) << text;
}

TEST(ShapeSets, TheCanonicalOneShips) {
  const ShapeSet set = find_shape_set("canonical", shipped);
  EXPECT_EQ(set.name, "canonical");
  Shapes wanted;
  for (const auto& [b, h] : {std::pair(1, 8), std::pair(4, 16), std::pair(8, 16)}) {
    for (const bool causal : {false, true}) wanted.push_back({b, h, h, 512, 512, 64, DataType::fp16, causal});
  }
  EXPECT_EQ(set.shapes, wanted);
}

TEST(ShapeSets, AreTyped) {
  const ShapeSet set = find_shape_set("1,8,512,64; 4,16,512,64 causal;", shipped);
  EXPECT_EQ(set.name, "");
  EXPECT_EQ(set.shapes, (Shapes{shape_from_text("1,8,512,64"), shape_from_text("4,16,512,64 causal")}));
}

TEST(ShapeSets, NameTheEntryThatIsWrong) {
  expect_words(typed_complaint("1,8,512,64;1,8,512"),
               {"shape 2", "'1,8,512'", "3 sizes instead of 4", "Give B,H,S,D"});
  expect_words(typed_complaint("1,8,512,64;;2,8,512,64"), {"shape 2", "''"});
  expect_words(typed_complaint("1,8,512,64;1,8/8,512,64 fp16"), {"shape 2", "the same as shape 1", "Remove"});
  expect_words(typed_complaint("canonicl"), {"'canonicl'", "canonical", "1,8,512,64"});
}

TEST_F(ShapeSetFile, HasTextsAndObjects) {
  const fs::path file = write("mine.json", R"({"name": "long ones", "shapes": ["1,8,8192,64 causal",
      {"B": 2, "Hq": 8, "Hkv": 2, "Sq": 1, "Sk": 4096, "D": 128, "dtype": "bf16", "causal": false}]})");
  const ShapeSet set = find_shape_set(file.string(), shipped);
  EXPECT_EQ(set.name, "long ones");
  EXPECT_EQ(set.shapes,
            (Shapes{shape_from_text("1,8,8192,64 causal"), shape_from_text("2,8/2,1/4096,128 bf16")}));
  EXPECT_EQ(load_shape_set(write("bare.json", R"(["1,8,512,64"])")).name, "bare");
}

TEST_F(ShapeSetFile, IsNamedWhereItIsWrong) {
  const fs::path lacking = write("lacking.json", R"(["1,8,512,64", {"B": 1, "Hq": 8}])");
  expect_words(complaint(lacking), {"lacking.json", "shape 2", "Hkv", "Give an object"});
  expect_words(complaint(write("heads.json",
                               R"([{"B": 1, "Hq": 8, "Hkv": 3, "Sq": 1, "Sk": 1, "D": 64, "dtype": "fp16",
      "causal": false}])")),
               {"heads.json", "shape 1", "multiple of Hkv"});
  expect_words(complaint(write("twice.json", R"(["1,8,512,64", "2,8,512,64", "1,8,512,64"])")),
               {"twice.json", "shape 3", "the same as shape 1"});
  expect_words(complaint(write("empty.json", "[]")), {"empty.json", "no shape"});
  expect_words(complaint(write("number.json", "7")), {"number.json", "not a set of shapes", "\"shapes\""});
  expect_words(complaint(write("name.json", R"({"name": 1, "shapes": ["1,8,512,64"]})")),
               {"name.json", "/name"});
  expect_words(complaint(write("damaged.json", "[\"1,8\n")), {"damaged.json", "JSON", "line"});
  expect_words(complaint(folder() / "absent.json"), {"absent.json", "cannot be read"});
}

TEST(ShapeHeadings, HaveWhatDiffersAlone) {
  const ShapeHeadings canonical = shape_headings(find_shape_set("canonical", shipped).shapes);
  EXPECT_EQ(canonical.common, "S512 D64 fp16");
  EXPECT_EQ(canonical.each, (std::vector<std::string>{"B1 H8", "B1 H8 causal", "B4 H16", "B4 H16 causal",
                                                      "B8 H16", "B8 H16 causal"}));
  const ShapeHeadings masked = shape_headings(typed_shape_set("1,8,512,64;1,8,512,64 causal").shapes);
  EXPECT_EQ(masked.common, "B1 H8 S512 D64 fp16");
  EXPECT_EQ(masked.each, (std::vector<std::string>{"not causal", "causal"}));
  EXPECT_EQ(shape_headings({Shape{}}).each, std::vector<std::string>{"B1 H8 S512 D64 fp16"});
}

}  // namespace
}  // namespace tilescope
