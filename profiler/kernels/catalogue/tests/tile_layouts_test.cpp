// Rows, columns and index function of a tile's declaration.

#include <chrono>
#include <numeric>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {
namespace {

class TileLayouts : public DeclarationTest {
 protected:
  // The minimal declaration, whose only tile (TILE * 2 = 16 bytes) has these members besides its name.
  static std::string with_tile(const std::string& members) {
    return with(R"({"name": "S", "bytes": "TILE * 2"}, {"name": "P", "bytes": "TILE", "offset": "TILE * 3"})",
                R"({"name": "S", )" + members + "}");
  }
  void expect_said(const std::string& members, const std::string& part) {
    const std::string error = error_of(write("k.cu", with_tile(members)));
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound: " << error;
  }
  std::vector<TileRange> ranges(const std::string& members) {
    const auto kernel = read_kernel_declaration(write("k.cu", with_tile(members)));
    return tile_ranges(kernel, kernel.complete({}), shape, device);
  }
  TileLayout layout(const std::string& members) { return ranges(members).at(0).layout.value(); }
  std::string why_wrong(const std::string& members) {
    try {
      ranges(members);
    } catch (const DeclarationError& error) {
      return error.what();
    }
    return "";
  }

  Shape shape;
  DeviceModel device = [] {
    DeviceModel made;
    made.max_threads_per_block = 1024;
    made.shared_bytes_per_block_optin = 4096;
    return made;
  }();
};

TEST_F(TileLayouts, LieRowByRowWithoutAnIndex) {
  EXPECT_EQ(layout(R"("bytes": "16", "rows": "2", "columns": "4")"),
            (TileLayout{2, 4, 2, 4, {0, 1, 2, 3, 4, 5, 6, 7}}))
      << "elements of the dtype, one row behind the other";
  EXPECT_EQ(layout(R"("bytes": "32", "rows": "2", "columns": "3", "pitch": "4 + 1", "element_bytes": "4")"),
            (TileLayout{2, 3, 4, 5, {0, 1, 2, 5, 6, 7}}));
  EXPECT_EQ(ranges(R"("bytes": "16")").at(0).layout, std::nullopt);
}

TEST_F(TileLayouts, FollowTheirIndex) {
  EXPECT_EQ(
      layout(R"j("bytes": "16", "rows": "2", "columns": "4", "index": "ROW*PITCH + bit_xor(COLUMN, 3*ROW)")j")
          .index,
      (std::vector<std::uint32_t>{0, 1, 2, 3, 7, 6, 5, 4}));
  EXPECT_EQ(
      layout(
          R"("bytes": "16", "rows": "4", "columns": "2", "index": "floor_div(ROW, 2)*4 + COLUMN*2 + ROW % 2")")
          .index,
      (std::vector<std::uint32_t>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(
      layout(R"j("bytes": "16", "rows": "1", "columns": "4", "index": "COLUMN + TILE/2 - 4*(D != 64)")j")
          .index,
      (std::vector<std::uint32_t>{4, 5, 6, 7}))
      << "the parameters and the shape are known";
}

TEST_F(TileLayouts, SurviveAsAJsonDocument) {
  const auto kernel = read_kernel_declaration(write(
      "k.cu", with_tile(R"("bytes": "16", "rows": "2", "columns": "4", "element_bytes": "2", "pitch": "4",
                           "index": "ROW*PITCH + COLUMN")")));
  EXPECT_EQ(kernel.tiles[0].layout, (LayoutDeclaration{"2", "4", "2", "4", "ROW*PITCH + COLUMN"}));
  const Json document = to_json_document(kernel);
  EXPECT_EQ(document["tiles"][0]["index"], "ROW*PITCH + COLUMN");
  EXPECT_EQ(kernel_declaration_from(document, kernel.source_path).tiles, kernel.tiles);
}

TEST_F(TileLayouts, AreCheckedWithoutAConfiguration) {
  expect_said(R"("bytes": "16", "rows": "2")",
              "/tiles/0/columns is missing: it holds an expression in quotes");
  expect_said(R"("bytes": "16", "columns": "2")",
              "/tiles/0/rows is missing: it holds an expression in quotes");
  expect_said(R"("bytes": "16", "pitch": "2")",
              "/tiles/0/pitch: only a tile with \"rows\" and \"columns\" has it");
  expect_said(R"("bytes": "16", "rows": 2, "columns": "4")",
              "/tiles/0/rows: expected an expression in quotes");
  expect_said(R"("bytes": "16", "rows": "TIL", "columns": "4")",
              "/tiles/0/rows: 'TIL': there is no name 'TIL' here; did you mean 'TILE'?");
  expect_said(R"("bytes": "16", "rows": "2", "columns": "4", "index": "ROW*PICH")",
              "/tiles/0/index: 'ROW*PICH': there is no name 'PICH' here; did you mean 'PITCH'?");
  expect_said(R"("bytes": "16", "rows": "2", "columns": "4", "pitch": "ROW", "index": "ROW")",
              "/tiles/0/pitch: 'ROW': there is no name 'ROW' here");
}

TEST_F(TileLayouts, NeedTheNamesOfTheirIndex) {
  const std::string tile = R"("bytes": "16", "rows": "2", "columns": "4")";
  const auto error = [&](const std::string& members) {
    std::string text = with_tile(members);
    const std::string before = "\"constraints\"";
    text.replace(text.find(before), before.size(), "\"let\": {\"PITCH\": \"4\"},\n  " + before);
    return error_of(write("k.cu", text));
  };
  EXPECT_EQ(error(tile + R"(, "pitch": "PITCH")"), "") << "free for those without an index";
  const std::string said = error(tile + R"(, "index": "ROW*PITCH + COLUMN")");
  EXPECT_NE(said.find("/let/PITCH: 'PITCH' means something else in the index of a tile: choose another name"),
            std::string::npos)
      << said;
}

TEST_F(TileLayouts, MustFitTheirTile) {
  const std::string file = (folder_ / "k.cu").string();
  EXPECT_EQ(why_wrong(R"("bytes": "16", "rows": "3", "columns": "4")"),
            file + ": /tiles/0: 'S' has 16 bytes, too few for 3 rows of 4 elements of 2 bytes");
  EXPECT_EQ(why_wrong(R"("bytes": "16", "rows": "0", "columns": "4")"),
            file + ": /tiles/0: 'S' has 16 bytes, so its rows, columns and element_bytes must not be 0");
  EXPECT_EQ(why_wrong(R"("bytes": "16", "rows": "2", "columns": "4", "pitch": "5")"),
            file +
                ": /tiles/0/index: 'ROW * PITCH + COLUMN' puts row 1, column 3 at element 8, the tile has "
                "room for 8");
  EXPECT_EQ(
      why_wrong(R"("bytes": "16", "rows": "2", "columns": "4", "index": "ROW + COLUMN")"),
      file + ": /tiles/0/index: 'ROW + COLUMN' puts row 0, column 1 and row 1, column 0 at the same place");
  EXPECT_EQ(why_wrong(R"("bytes": "16", "rows": "2", "columns": "4", "index": "COLUMN / 2 + ROW")"),
            file +
                ": /tiles/0/index: 'COLUMN / 2 + ROW' gives 0.500000 for row 0, column 1, not a whole "
                "number >= 0");
  EXPECT_NE(why_wrong(R"j("bytes": "16", "rows": "2", "columns": "4", "index": "bit_xor(COLUMN - 1, 1)")j")
                .find("gives nan for row 0, column 0"),
            std::string::npos);
  EXPECT_NE(
      why_wrong(R"("bytes": "16", "rows": "1 - TILE", "columns": "4")").find("/tiles/0: '1 - TILE' gives"),
      std::string::npos);
}

TEST_F(TileLayouts, AreNotComputedForATileThatNoBlockHas) {
  device.shared_bytes_per_block_optin = 15;
  EXPECT_EQ(layout(R"("bytes": "14", "rows": "1", "columns": "7")").rows, 1);
  EXPECT_EQ(ranges(R"("bytes": "16", "rows": "2", "columns": "4")").at(0).layout, std::nullopt);
}

// A change of a slider evaluates the layouts between two frames of the window.
TEST_F(TileLayouts, TakeMilliseconds) {
  const KernelDeclaration kernel =
      Catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels").find("flash_scalar");
  device.shared_bytes_per_block_optin = 1 << 20;
  shape.D = 256;
  const Configuration chosen =
      kernel.complete({{"BLOCK_N", std::int64_t{128}}, {"SMEM_LAYOUT", std::string("xor_swizzle")}});
  const auto start = std::chrono::steady_clock::now();
  const auto tiles = tile_ranges(kernel, chosen, shape, device);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(tiles.at(0).layout.value().index.size(), 128U * 256U);
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 200) << "about 6 ms: the limit is for a busy machine";
}

TEST(TilePlacesOfALayout, AreTheInverseOfItsIndex) {
  const TileLayout layout{2, 3, 4, 5, {0, 1, 2, 7, 6, 5}};
  const TilePlaces places(layout);
  EXPECT_EQ(places.at(4 * 7 + 1), (TilePlace{1, 0, 1}));
  EXPECT_EQ(places.at(4 * 3), std::nullopt) << "padding";
  EXPECT_EQ(places.at(4 * 8), std::nullopt) << "behind the end";
  EXPECT_EQ(places.at(-1), std::nullopt);
}

class ShippedTiles : public testing::Test {
 protected:
  Catalogue catalogue{std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels"};
  std::vector<DeviceModel> tables =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
  const DeviceModel& l4 = *match_device(tables, "NVIDIA L4");
};

// Every value of every parameter, one after the other, at every head size.
TEST_F(ShippedTiles, HaveALayoutInEveryConfiguration) {
  int tiles = 0;
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    for (const std::int64_t head_size : {32, 64, 96, 128, 256}) {
      Shape shape;
      shape.D = head_size;
      shape.Sq = shape.Sk = 77;
      for (const ParameterDeclaration& parameter : kernel.parameters) {
        for (const ParameterValue& value : parameter.values) {
          const Configuration chosen = kernel.complete({{parameter.name, value}});
          if (!why_invalid(kernel, chosen, shape, l4).empty()) continue;
          for (const TileRange& tile : tile_ranges(kernel, chosen, shape, l4)) {
            ASSERT_TRUE(tile.layout) << kernel.name << " " << tile.name;
            ++tiles;
          }
        }
      }
    }
  }
  EXPECT_GT(tiles, 2000);
}

}  // namespace
}  // namespace tilescope
