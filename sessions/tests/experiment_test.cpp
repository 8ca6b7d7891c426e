#include "sessions/experiment.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/json_reader.hpp"

namespace tilescope {
namespace {

TEST(Shape, IsWrittenShortWhereSizesAreEqual) {
  EXPECT_EQ(to_string(Shape{}), "B1 H8 S512 D64 fp16");
  EXPECT_EQ(to_string(Shape{2, 8, 2, 512, 1024, 128, DataType::bf16, true}),
            "B2 H8/2 S512x1024 D128 bf16 causal");
}

TEST(Shape, MalformedOnesAreNamed) {
  EXPECT_EQ(why_malformed(Shape{}), "");
  Shape shape;
  shape.Sk = 0;
  EXPECT_EQ(why_malformed(shape), "Sk is 0: every size must be at least 1");
  shape = {};
  shape.Hkv = 3;
  EXPECT_NE(why_malformed(shape).find("Hq must be a multiple of Hkv"), std::string::npos);
  shape = {};
  shape.B = shape.Sq = std::numeric_limits<std::int64_t>::max() / 4;
  EXPECT_NE(why_malformed(shape), "");
}

TEST(Shape, FlopsAreThoseOfTheFlashAttentionPapers) {
  EXPECT_DOUBLE_EQ(attention_flops(Shape{}), 4.0 * 8 * 512 * 512 * 64);
  Shape causal;
  causal.causal = true;
  EXPECT_DOUBLE_EQ(attention_flops(causal), attention_flops(Shape{}) / 2);
}

TEST(DataTypeName, UnknownOneNamesTheRightOnes) {
  EXPECT_EQ(data_type_from("bf16"), DataType::bf16);
  try {
    data_type_from("fp61");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'fp61' is not a data type: there are 'fp16' and 'bf16'");
  }
}

TEST(ParameterValueText, NumbersAreNumbersAndTheRestIsNames) {
  EXPECT_EQ(parameter_value_from("64"), ParameterValue(64));
  EXPECT_EQ(parameter_value_from("-1"), ParameterValue(-1));
  EXPECT_EQ(parameter_value_from("xor_swizzle"), ParameterValue("xor_swizzle"));
  EXPECT_EQ(parameter_value_from("64k"), ParameterValue("64k"));
  EXPECT_EQ(parameter_value_from("0"), ParameterValue(0));
  for (const char* text : {"010", "-08", "00", "-0", "+1", "0x10", "1e3", "99999999999999999999"})
    EXPECT_EQ(parameter_value_from(text), ParameterValue(text));
  EXPECT_EQ(parameter_value_from(""), ParameterValue(""));
}

TEST(BlockChoices, RoundTripAndRefuse) {
  for (const char* text : {"auto", "all", "1", "64"}) EXPECT_EQ(to_string(block_choice_from(text)), text);
  for (const char* text : {"", "0", "-1", "ALL", "1.5", "64 blocks"}) {
    EXPECT_THROW(block_choice_from(text), std::invalid_argument) << text;
  }
}

// Points are found by it, also in sessions that were saved before there was a choice.
TEST(Identity, OfNvrtcNamesNoCompiler) {
  Experiment experiment{"flash_scalar", {{"BLOCK_M", 64}}, {}, "L4", 1, 0.5};
  EXPECT_EQ(identity(experiment), "flash_scalar | BLOCK_M=64 | B1 H8 S512 D64 fp16 | L4 | seed 1");
  experiment.compiler = KernelCompiler::nvcc;
  EXPECT_EQ(identity(experiment), "flash_scalar | BLOCK_M=64 | B1 H8 S512 D64 fp16 | L4 | seed 1 | nvcc");
}

TEST(Identity, DependsOnAllButTheTimingBudgetAndTheBlocks) {
  Experiment experiment{"flash_scalar", {{"BLOCK_M", 64}}, {}, "L4", 1, 0.5};
  const std::string own = identity(experiment);
  Experiment other = experiment;
  other.timing_budget_s = 5;
  EXPECT_EQ(identity(other), own);
  other.blocks = {BlockChoice::Kind::all, 0};
  EXPECT_EQ(identity(other), own);

  const auto differs = [&](auto change) {
    Experiment changed = experiment;
    change(changed);
    return identity(changed) != own;
  };
  EXPECT_TRUE(differs([](Experiment& e) { e.kernel = "other"; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.parameters["BLOCK_M"] = 32; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.shape.causal = true; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.shape.Hkv = 4; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.device = "H200"; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.seed = 2; }));
  EXPECT_TRUE(differs([](Experiment& e) { e.compiler = KernelCompiler::nvcc; }));
}

TEST(ExperimentJson, RoundTrip) {
  const Experiment experiment{"flash_scalar",
                              {{"BLOCK_M", 64}, {"SMEM_LAYOUT", "padded"}},
                              {2, 8, 4, 100, 200, 128, DataType::bf16, true},
                              "L4",
                              std::numeric_limits<std::uint64_t>::max(),
                              1.25,
                              {BlockChoice::Kind::count, 64},
                              KernelCompiler::nvcc};
  EXPECT_EQ(Json::parse(to_line(Json(experiment))).get<Experiment>(), experiment);
}

TEST(ExperimentJson, AnOlderOneIsCompiledByNvrtc) {
  Json json = Experiment{"k", {}, {}, "", 1, 0.5};
  ASSERT_TRUE(json.contains("compiler"));
  json.erase("compiler");
  EXPECT_EQ(json.get<Experiment>().compiler, KernelCompiler::nvrtc);
}

TEST(ExperimentJson, ComplaintsSayWhere) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json json = Experiment{"k", {{"BLOCK_M", 64}}, {}, "", 1, 0.5};
    json[Json::json_pointer(pointer)] = value;
    try {
      json.get<Experiment>();
    } catch (const DocumentError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(complaint("/parameters/BLOCK_M", 1.5),
            "/parameters/BLOCK_M: expected a whole number or a name, found number");
  EXPECT_EQ(complaint("/shape/B", "one"), "/shape/B: expected a whole number, found string");
  EXPECT_EQ(complaint("/shape/B", std::numeric_limits<std::uint64_t>::max()),
            "/shape/B: the number 18446744073709551615 is too large");
  EXPECT_EQ(complaint("/shape/dtype", "fp8"),
            "/shape/dtype: 'fp8' is not a data type: there are 'fp16' and 'bf16'");
  EXPECT_EQ(complaint("/seed", -1), "/seed: expected a whole number, 0 or more, found number");
  EXPECT_EQ(complaint("/blocks", "some"),
            "/blocks: 'some' is not a valid block count: give 'auto', 'all' or a number from 1");
  EXPECT_EQ(complaint("/blocks", "auto"), "accepted");
  EXPECT_EQ(complaint("/compiler", "gcc"), "/compiler: 'gcc' is not a compiler: there are 'nvrtc', 'nvcc'");
  EXPECT_EQ(complaint("/shape", Json::array()), "/shape: expected an object, found array");
}

}  // namespace
}  // namespace tilescope
