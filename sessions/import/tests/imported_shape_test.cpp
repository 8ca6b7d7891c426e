#include "sessions/import/imported_shape.hpp"

#include <gtest/gtest.h>

#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

std::string complaint_of(Configuration parameters, const ImportOptions& options) {
  std::vector<std::string> notes;
  try {
    take_shape(parameters, options, notes);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(ImportedShape, IsTakenFromTheParametersThatNameIt) {
  Configuration parameters{{"B", 2},   {"H", 16},         {"Hkv", 4},    {"S", 512},     {"Sk", 1024},
                           {"D", 128}, {"dtype", "bf16"}, {"causal", 1}, {"BLOCK_M", 64}};
  std::vector<std::string> notes;
  const Shape shape = take_shape(parameters, {}, notes);
  EXPECT_EQ(shape, (Shape{2, 16, 4, 512, 1024, 128, DataType::bf16, true}));
  EXPECT_EQ(parameters, (Configuration{{"BLOCK_M", 64}}));
  EXPECT_TRUE(notes.empty());
}

TEST(ImportedShape, LongNamesMayBeWrittenInSeveralWays) {
  Configuration parameters{{"Batch", 1},     {"num_heads", 8}, {"SeqLen", 256},
                           {"head-dim", 64}, {"d", 3},         {"b", 4}};
  std::vector<std::string> notes;
  EXPECT_EQ(take_shape(parameters, {}, notes), (Shape{1, 8, 8, 256, 256, 64}));
  EXPECT_EQ(parameters, (Configuration{{"b", 4}, {"d", 3}}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "The file does not say whether the shape is fp16 and not causal: it is assumed to be.");
}

TEST(ImportedShape, WhatIsMissingIsRefusedWithTheOptionToGive) {
  const std::string what = complaint_of({{"B", 1}, {"S", 512}}, {});
  EXPECT_NE(what.find("(H, D)"), std::string::npos) << what;
  EXPECT_NE(what.find("--shape B,H,S,D"), std::string::npos) << what;
}

TEST(ImportedShape, AnOptionMustNotContradictTheFile) {
  ImportOptions options;
  options.sizes = Shape{};
  EXPECT_EQ(complaint_of({{"S", 512}}, options), "");
  EXPECT_NE(complaint_of({{"S", 1024}}, options).find("its S is 1024, which contradicts --shape"),
            std::string::npos);
  options.causal = false;
  EXPECT_NE(complaint_of({{"causal", "true"}}, options).find("--causal"), std::string::npos);
}

TEST(ImportedShape, AnotherElementTypeLeavesThePointOut) {
  Configuration parameters{{"B", 1}, {"H", 8}, {"S", 512}, {"D", 64}, {"dtype", "fp32"}};
  std::vector<std::string> notes;
  EXPECT_THROW(take_shape(parameters, {}, notes), LeftOut);
}

TEST(ImportedShape, SizesThatMakeNoShapeAreRefused) {
  EXPECT_NE(complaint_of({{"B", 0}, {"H", 8}, {"S", 512}, {"D", 64}}, {}), "");
  EXPECT_NE(complaint_of({{"B", "many"}, {"H", 8}, {"S", 512}, {"D", 64}}, {}), "");
  EXPECT_NE(complaint_of({{"B", 1}, {"Hq", 8}, {"Hkv", 3}, {"S", 512}, {"D", 64}}, {}), "");
}

}  // namespace
}  // namespace tilescope
