#include <algorithm>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Declarations = DeclarationTest;

TEST_F(Declarations, IsReadFromTheFilesComment) {
  const auto kernel = read_kernel_declaration(
      write("one.cu", "// c\n/* tilescope-kernel\n" + std::string(minimal_declaration) + "*/"));
  EXPECT_EQ(kernel.name, "one");
  EXPECT_EQ(kernel.find_parameter("TILE")->values.size(), 2u);
  EXPECT_EQ(kernel.complete({{"TILE", std::int64_t{16}}}),
            (Configuration{{"TILE", std::int64_t{16}}, {"LAYOUT", std::string("plain")}}));
}

TEST_F(Declarations, AForeignKernelNeedsNoEdit) {
  write("foreign.json", minimal_declaration);
  EXPECT_EQ(read_kernel_declaration(write("foreign.cu", "extern \"C\" __global__ void e() {}")).entry, "e");
}

TEST_F(Declarations, SurvivesAsAJsonDocument) {
  const auto kernel = read_kernel_declaration(write("one.cu", with("eights", "eights")));
  const auto again = kernel_declaration_from(to_json_document(kernel), kernel.source_path);
  EXPECT_EQ(again.parameters, kernel.parameters);
  EXPECT_EQ(again.constraints, kernel.constraints);
  EXPECT_EQ(again.arguments, kernel.arguments);
  EXPECT_EQ(again.arguments[1].bytes, "4 * Sq");
  EXPECT_EQ(again.tiles, kernel.tiles);
  EXPECT_EQ(again.tiles.size(), 2U);
  EXPECT_EQ(again.grid, kernel.grid);
  EXPECT_EQ(again.card, std::nullopt);
}

TEST_F(Declarations, BlocksThatMakeOneResultAreAGroup) {
  const auto kernel =
      read_kernel_declaration(write("one.cu", with("\"grid\"", "\"block_group\": \"TILE / 4\", \"grid\"")));
  EXPECT_EQ(kernel.block_group, "TILE / 4");
  EXPECT_EQ(kernel_declaration_from(to_json_document(kernel), kernel.source_path).block_group, "TILE / 4");
  EXPECT_NE(
      error_of(write("two.cu", with("\"grid\"", "\"block_group\": 4, \"grid\""))).find("/block_group: "),
      std::string::npos);
}

TEST_F(Declarations, AnExhibitHasACard) {
  const std::string card = R"("title": "t", "card": {"looks": "l", "shown": "s", "repair": "r"})";
  const auto kernel = read_kernel_declaration(write("one.cu", with("\"title\": \"t\"", card)));
  EXPECT_EQ(kernel.card, (ExhibitCard{"l", "s", "r"}));
  EXPECT_EQ(kernel_declaration_from(to_json_document(kernel), kernel.source_path).card, kernel.card);
  EXPECT_NE(
      error_of(write("two.cu", with("\"title\": \"t\"", "\"title\": \"t\", \"card\": {\"looks\": \"l\"}")))
          .find("/card/shown is missing"),
      std::string::npos);
}

const char* const of_library = R"json({
  "name": "theirs", "role": "baseline", "library": "cudnn", "title": "t", "dtypes": ["fp16"], "parameters": [],
  "constraints": [{"expression": "SHARED_BYTES == 0 && D % 8 == 0", "text": "eights"}]
})json";

TEST_F(Declarations, AKernelThatALibraryLaunchesIsAJsonFileWithoutGeometry) {
  const auto kernel = read_kernel_declaration(write("theirs.json", of_library));
  EXPECT_EQ(kernel.library, KernelLibrary::cudnn);
  EXPECT_EQ(kernel.result, KernelResult::attention);
  EXPECT_TRUE(kernel.is_launched_by_library());
  const Json document = to_json_document(kernel);
  EXPECT_EQ(document["library"], "cudnn");
  EXPECT_FALSE(document.contains("grid"));
  EXPECT_EQ(kernel_declaration_from(document, kernel.source_path).library, KernelLibrary::cudnn);

  const Catalogue catalogue(folder_);
  ASSERT_EQ(catalogue.kernels().size(), 1U);
  DeviceModel device;
  Shape shape;
  EXPECT_EQ(why_invalid(catalogue.kernels()[0], {}, shape, device), "");
  shape.D = 60;
  EXPECT_EQ(why_invalid(catalogue.kernels()[0], {}, shape, device), "eights");
}

TEST_F(Declarations, AKernelWithALibrarysHeadersHasGeometryAndMayComputeScores) {
  const auto kernel = read_kernel_declaration(
      write("one.cu", with("\"title\"", "\"library\": \"cutlass\", \"result\": \"scores\", \"title\"")));
  EXPECT_FALSE(kernel.is_launched_by_library());
  const auto again = kernel_declaration_from(to_json_document(kernel), kernel.source_path);
  EXPECT_EQ(again.library, KernelLibrary::cutlass);
  EXPECT_EQ(again.result, KernelResult::scores);
  EXPECT_EQ(again.grid, kernel.grid);
}

TEST_F(Declarations, OnlyALibrarysKernelGoesWithoutACuFile) {
  EXPECT_NE(error_of(write("alone.json", minimal_declaration)).find("/library: "), std::string::npos);
  EXPECT_NE(error_of(write("cublas.cu", with("\"title\"", "\"library\": \"blas\", \"title\"")))
                .find("'blas' is not one of 'cutlass', 'cublas', 'cudnn'"),
            std::string::npos);
}

TEST_F(Declarations, UnknownNamesNameTheNearest) {
  const auto kernel = read_kernel_declaration(write("one.cu", with("eights", "eights")));
  const auto message = [&](const Configuration& chosen) -> std::string {
    try {
      check_values(kernel, chosen);
    } catch (const UnknownName& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"TLE", std::int64_t{8}}}).find("did you mean 'TILE'?"), std::string::npos);
  EXPECT_NE(message({{"LAYOUT", std::string("padde")}}).find("one of plain, padded"), std::string::npos);
  EXPECT_NE(message({{"TILE", std::string("big")}}).find("TILE = big is not one of"), std::string::npos);
  EXPECT_EQ(message({{"TILE", std::int64_t{24}}}), "");  // invalid, not unknown
}

using Names = std::vector<std::string>;

TEST(NearestNames, AreThoseWithTheFewestWrongLetters) {
  EXPECT_EQ(nearest_names("l5", {"H100", "L4", "A100", "H200"}), Names{"L4"});
  EXPECT_EQ(nearest_names("BLOK_M", {"BLOCK_M", "BLOCK_N", "NUM_WARPS"}), Names{"BLOCK_M"});
  EXPECT_EQ(nearest_names("mesaure", {"measure", "trace"}), Names{"measure"}) << "swapped letters";
  EXPECT_EQ(nearest_names("A200", {"A100", "H200", "L4"}), (Names{"A100", "H200"}));
}

TEST(NearestNames, AreThoseThatContainTheName) {
  EXPECT_EQ(nearest_names("block", {"NUM_WARPS", "BLOCK_M", "BLOCK_N"}), (Names{"BLOCK_M", "BLOCK_N"}));
  EXPECT_EQ(nearest_names("swizzle", {"row_major", "xor_swizzle"}), Names{"xor_swizzle"});
}

TEST(NearestNames, NothingIsSuggestedWhereNothingIsNear) {
  EXPECT_EQ(nearest_names("exhibit", {"naive", "tiled", "hfma2"}), Names{});
  EXPECT_EQ(nearest_names("x", {"B", "D"}), Names{});
  EXPECT_EQ(nearest_names("", {"a", "b"}), Names{});
}

TEST(SuggestNames, AShortListIsGivenInFullAndALongOneIsNot) {
  Names many;
  for (char letter = 'a'; letter <= 'z'; ++letter) many.push_back(std::string(5, letter));
  EXPECT_EQ(suggest_names("no 'tiel'", "tiel", {"tile", "row"}), "no 'tiel'; did you mean 'tile'?");
  EXPECT_EQ(suggest_names("no 'x'", "x", {"tile", "row", "D"}), "no 'x'; choose 'tile', 'row' or 'D'");
  EXPECT_EQ(suggest_names("no 'x'", "x", many), "no 'x'");
  EXPECT_EQ(suggest_names("no 'x'", "x", {}), "no 'x'");
}

TEST(Catalogue, HoldsTheShippedKernels) {
  const Catalogue catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels");
  EXPECT_EQ(catalogue.find("flash_scalar").role, KernelRole::rung);
  EXPECT_EQ(catalogue.find("cublas_unfused").library, KernelLibrary::cublas);
  EXPECT_EQ(catalogue.find("cudnn_sdpa").role, KernelRole::baseline);
  EXPECT_EQ(catalogue.find("cutlass_gemm").result, KernelResult::scores);
  EXPECT_THROW(catalogue.find("flash_scaler"), UnknownName);
  EXPECT_THROW(catalogue.find("nowhere.cu"), UnknownName);
}

TEST(Catalogue, ListsTheLadderFromItsFootThenTheExhibits) {
  const Catalogue catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels");
  std::vector<KernelRole> roles;
  std::vector<int> rungs;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    roles.push_back(kernel.role);
    if (kernel.rung > 0) rungs.push_back(kernel.rung);
  }
  EXPECT_TRUE(std::is_sorted(roles.begin(), roles.end()));
  ASSERT_GE(rungs.size(), 7U);
  for (std::size_t i = 0; i < rungs.size(); ++i) EXPECT_EQ(rungs[i], static_cast<int>(i) + 1);
}

TEST(Catalogue, NoShippedKernelIsBroken) {
  const Catalogue catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels");
  for (const BrokenKernel& kernel : catalogue.broken()) ADD_FAILURE() << kernel.error;
}

TEST_F(Declarations, ARungThatDoesNotSayItsPlaceComesBehindThoseThatDo) {
  write("a.cu", with("\"one\"", "\"new\""));
  write("b.cu", with("\"name\": \"one\"", "\"rung\": 2, \"name\": \"second\""));
  write("c.cu", with("\"name\": \"one\"", "\"rung\": 1, \"name\": \"first\""));
  const Catalogue catalogue(folder_);
  ASSERT_EQ(catalogue.kernels().size(), 3U);
  EXPECT_EQ(catalogue.kernels()[0].name, "first");
  EXPECT_EQ(catalogue.kernels()[1].name, "second");
  EXPECT_EQ(catalogue.kernels()[2].name, "new");
}

TEST(Catalogue, EveryExhibitHasACardAndAFaultThatIsOffByDefault) {
  const Catalogue catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels");
  int exhibits = 0;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.role != KernelRole::exhibit) continue;
    ++exhibits;
    EXPECT_TRUE(kernel.card) << kernel.name;
    const ParameterDeclaration* fault = kernel.find_parameter("FAULT");
    ASSERT_NE(fault, nullptr) << kernel.name;
    EXPECT_EQ(fault->default_value, ParameterValue("off")) << kernel.name;
  }
  EXPECT_GE(exhibits, 13);
}

}  // namespace
}  // namespace tilescope
