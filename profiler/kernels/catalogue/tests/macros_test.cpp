// Which shape macros a kernel's code gets.

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"

namespace tilescope {
namespace {

class Macros : public DeclarationTest {
 protected:
  using Names = std::vector<std::string>;
  Names of(const std::string& from, const std::string& to) {
    return read_kernel_declaration(write("k.cu", with(from, to))).macros;
  }
};

constexpr const char* problem = R"({"type": "attention_problem"}, )";

TEST_F(Macros, BelongToKernelsThatTakeAnAttentionProblem) {
  EXPECT_EQ(of("", ""), (Names{"HEAD_DIM", "CAUSAL", "DTYPE"}));
  EXPECT_EQ(of(problem, ""), Names{});
}

TEST_F(Macros, AreOtherwiseThoseThatAreListed) {
  const std::string listed = R"("macros": ["DTYPE", "CAUSAL"], "arguments": [)";
  EXPECT_EQ(of(std::string("\"arguments\": [") + problem, listed), (Names{"DTYPE", "CAUSAL"}));
  EXPECT_EQ(of("\"arguments\": [", "\"macros\": [], \"arguments\": ["), Names{});
}

TEST_F(Macros, SurviveAsAJsonDocument) {
  const auto kernel =
      read_kernel_declaration(write("k.cu", with("\"grid\"", "\"macros\": [\"DTYPE\"], \"grid\"")));
  EXPECT_EQ(kernel_declaration_from(to_json_document(kernel), kernel.source_path).macros, (Names{"DTYPE"}));
}

TEST_F(Macros, ThatAreNotKnownAreRefused) {
  const auto error =
      error_of(write("k.cu", with("\"grid\"", "\"macros\": [\"DTYPE\", \"HEADDIM\"], \"grid\"")));
  EXPECT_NE(error.find(
                "/macros/1: 'HEADDIM' is not one of 'HEAD_DIM', 'CAUSAL', 'DTYPE': a kernel's parameters are "
                "macros without being listed"),
            std::string::npos)
      << error;
}

TEST_F(Macros, ThatAKernelDoesNotGetAreFreeForItsParameters) {
  std::string text = with(problem, "");
  text.replace(text.find("LAYOUT"), 6, "HEAD_DIM");
  EXPECT_EQ(error_of(write("k.cu", text)), "");
}

TEST(ShippedMacros, AreThoseThatTheSoftmaxOfCublasAndTheTensorCoreProbeUse) {
  const Catalogue catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels");
  EXPECT_EQ(catalogue.find("cublas_unfused").macros, shape_macros());
  EXPECT_EQ(catalogue.find("mma_sync").macros, (std::vector<std::string>{"DTYPE"}));
  EXPECT_TRUE(catalogue.find("ffma").macros.empty());
}

}  // namespace
}  // namespace tilescope
