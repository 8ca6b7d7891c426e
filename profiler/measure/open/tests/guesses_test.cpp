// The parts of a guess that need no kernel.
#include <gtest/gtest.h>

#include <numeric>

#include "profiler/measure/interpret/grid_sample.hpp"
#include "profiler/measure/open/block_search.hpp"
#include "profiler/measure/open/grid_search.hpp"
#include "profiler/measure/open/known_parameters.hpp"
#include "profiler/measure/open/number_guesses.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {
namespace {

TEST(KnownParameters, HaveTheTypesOfAMangledNameAndTheNamesOfTheSource) {
  const auto known = known_parameters("_Z5scaleI6__halfEvPKT_PS1_if", {{0, 8}, {8, 8}, {16, 4}, {20, 4}},
                                      {{"const T*", "x"}, {"T*", "y"}, {"int", "n"}, {"float", "by"}});
  ASSERT_EQ(known.size(), 4u);
  EXPECT_EQ(known[0].name, "x");
  EXPECT_TRUE(known[0].is_pointer);
  EXPECT_EQ(known[0].element->name, "f16");
  EXPECT_EQ(known[2].element->name, "s32");
  EXPECT_EQ(known[3].element->name, "f32");
}

TEST(KnownParameters, WithoutTypesAreTakenByTheirSizes) {
  const auto known = known_parameters("add_kernel", {{0, 8}, {8, 4}, {16, 24}}, {});
  EXPECT_TRUE(known[0].is_pointer);
  EXPECT_EQ(known[1].element->name, "s32");
  EXPECT_TRUE(known[2].is_structure);
  EXPECT_EQ(known[2].name, "argument 2");
}

TEST(KnownParameters, ReadTypesOfCpp) {
  for (const auto& [type, element] : {std::pair{"float4", "f32"},
                                      {"unsigned long long", "u64"},
                                      {"const __nv_bfloat162", "bf16"},
                                      {"std::uint8_t", "u8"},
                                      {"c10::Half", "f16"},
                                      {"bool", "u8"}})
    EXPECT_EQ(element_of_type(type).value_or(Element{}).name, element) << type;
  EXPECT_FALSE(element_of_type("Params"));
  EXPECT_EQ(types_of_demangled("void f<int, float>(float (*) [4], std::pair<int, int>)"),
            (std::vector<std::string>{"float (*) [4]", "std::pair<int, int>"}));
}

TEST(NumberGuesses, GoByNames) {
  EXPECT_EQ(suggested_number("seq_len", false).value, 256);
  EXPECT_EQ(suggested_number("head_dim", false).value, 64);
  EXPECT_EQ(suggested_number("softmax_scale", true).value, 0.125);
  EXPECT_EQ(suggested_number("eps", true).value, 1e-5);
  EXPECT_EQ(suggested_number("is_causal", false).value, 0);
  EXPECT_FALSE(suggested_number("qux", false).reason.empty());
  const SuggestionBasis basis{4, 58};
  EXPECT_EQ(suggested_number("width", false, basis).value, 64);
  EXPECT_EQ(suggested_number("kernel_size", false, basis).value, 3);
  EXPECT_EQ(suggested_number("cuda_num_SMs", false, basis).value, 58);
}

TEST(NumberGuesses, LeaveTheSizesOfAGridToTheKernelsIndices) {
  EXPECT_EQ(suggested_value("shape.width", ""), 256);
  EXPECT_FALSE(suggested_value("grid.x", ""));
  EXPECT_FALSE(suggested_value("config.block.y", ""));
}

TEST(NumberGuesses, APitchIsTheWidth) {
  std::vector<KnownParameter> parameters(3);
  const char* const names[] = {"imageW", "imageH", "stride"};
  for (std::size_t i = 0; i < 3; ++i) parameters[i].name = names[i];
  std::vector<std::optional<SuggestedNumber>> values(3, SuggestedNumber{200, ""});
  values[2]->value = 1;
  suggest_strides(parameters, {false, false, true}, {}, values);
  EXPECT_EQ(values[2]->value, 200);
  values[2]->value = 1;
  suggest_strides(parameters, {false, false, false}, {}, values);
  EXPECT_EQ(values[2]->value, 1) << "the file gives it";
  parameters[0].name = "from";
  parameters[1].name = "height";
  suggest_strides(parameters, {false, false, true}, {}, values);
  EXPECT_EQ(values[2]->value, 256) << "rows do not lie on each other";
}

TEST(NumberGuesses, StridesFollowFromTheSizes) {
  std::vector<KnownParameter> parameters(5);
  const char* const names[] = {"M", "K", "stride_am", "stride_ak", "lda"};
  for (std::size_t i = 0; i < 5; ++i) parameters[i].name = names[i];
  std::vector<std::optional<SuggestedNumber>> values(5, SuggestedNumber{256, ""});
  values[1]->value = 96;
  suggest_strides(parameters, std::vector<bool>(5, true), {}, values);
  EXPECT_EQ(values[2]->value, 96);
  EXPECT_EQ(values[3]->value, 1);
  EXPECT_EQ(values[4]->value, 96);
}

TEST(NumberGuesses, AStrideThatIsThereIsNotTheOneThatTritonLeftOut) {
  const auto strides = [](const std::vector<const char*>& names, const CompiledIn& compiled_in) {
    std::vector<KnownParameter> parameters(names.size());
    std::vector<std::optional<SuggestedNumber>> values;
    values.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      parameters[i].name = names[i];
      values.emplace_back(SuggestedNumber{i == 0 ? 512.0 : 96.0, ""});
    }
    suggest_strides(parameters, std::vector<bool>(names.size(), true), compiled_in, values);
    return std::pair{values[2]->value, values.back()->value};
  };
  const CompiledIn left_out{std::vector<std::string>{"stride_ak"}};
  EXPECT_EQ(strides({"M", "K", "stride_am"}, left_out), std::pair(96.0, 96.0));
  EXPECT_EQ(strides({"M", "K", "stride_am"}, {}), std::pair(96.0, 96.0)) << "rows of a matrix";
  EXPECT_EQ(strides({"N", "K", "stride_bn"}, CompiledIn{std::vector<std::string>{"stride_bk"}}),
            std::pair(96.0, 96.0))
      << "transposed";
  EXPECT_EQ(strides({"M", "K", "stride_qh", "stride_qm"}, CompiledIn{std::vector<std::string>{}, 128}),
            std::pair(512.0 * 128, 128.0));
  EXPECT_EQ(strides({"M", "K", "stride_m"}, {}).first, 1) << "a vector";
}

TEST(BlockSearch, TakesTheSizeThatStoresEachElementOnce) {
  const auto tile_of_32 = [](const simt::Dimensions& size) {
    return TriedBlock{false, static_cast<double>(size.count()) / 1024};
  };
  const FoundBlock found = find_block(usual_blocks(true, 1024), tile_of_32);
  EXPECT_EQ(found.block, (simt::Dimensions{32, 32, 1}));
  EXPECT_TRUE(found.stores_all_once);
  const FoundBlock small = find_block(usual_blocks(true, 256), tile_of_32);
  EXPECT_EQ(small.block, (simt::Dimensions{16, 16, 1}));
  EXPECT_FALSE(small.stores_all_once);
}

TEST(BlockSearch, PrefersALaunchWithoutAFault) {
  const FoundBlock found = find_block(usual_blocks(false, 1024), [](const simt::Dimensions& size) {
    return TriedBlock{size.x > 64, size.x > 64 ? 1.0 : 0.5};
  });
  EXPECT_EQ(found.block.x, 64u);
}

TEST(GridSearch, EndsBehindTheLastBlockThatStores) {
  for (const std::uint32_t last : {0U, 1U, 6U, 777U}) {
    const FoundGrid found =
        find_grid({}, [&](const simt::Dimensions&, std::uint64_t block) { return block <= last; });
    EXPECT_EQ(found.grid.x, last + 1);
  }
  const FoundGrid endless =
      find_grid({.y = true}, [](const simt::Dimensions&, std::uint64_t) { return true; });
  EXPECT_EQ(endless.grid.x, 64u);
  EXPECT_EQ(endless.grid.y, 4u);
  EXPECT_NE(endless.reason.find("x and y"), std::string::npos);
}

double weight_of(const std::vector<SampledBlock>& sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0,
                         [](double sum, const SampledBlock& block) { return sum + block.weight; });
}

TEST(GridSample, StandsForTheWholeGrid) {
  const simt::Dimensions grid{1000, 37, 3};
  const std::vector<SampledBlock> sample = sample_of_grid(grid, {100'000, 0}, 0);
  ASSERT_FALSE(sample.empty());
  EXPECT_EQ(weight_of(sample), 111'000);
  EXPECT_EQ(sample.front().index, 0u);
  EXPECT_EQ(sample.back().index, 110'999u);
  for (std::size_t i = 1; i < sample.size(); ++i) EXPECT_LT(sample[i - 1].index, sample[i].index);
}

TEST(GridSample, IsTheWholeGridWhereThatIsSmall) {
  EXPECT_TRUE(sample_of_grid({100, 1, 1}, {1000, 0}, 0).empty());
  EXPECT_TRUE(sample_of_grid({100, 1, 1}, {1e9, 0}, 100).empty());
  EXPECT_EQ(weight_of(sample_of_grid({100, 1, 1}, {1, 0}, 20)), 100);
  EXPECT_FALSE(sample_of_grid({100'000, 1, 1}, {1, 1e6}, 0).empty());
}

}  // namespace
}  // namespace tilescope
