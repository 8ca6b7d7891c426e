// "let" in a declaration: an expression that several others use, by a name.

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/catalogue/expression.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {
namespace {

class NamedExpressions : public DeclarationTest {
 protected:
  // The minimal declaration with this object under "let", and one text in the place of another.
  static std::string with_let(const std::string& let, const std::string& from = "\"title\"",
                              const std::string& to = "\"title\"") {
    std::string text = with(from, to);
    const std::string before = "\"constraints\"";
    return text.replace(text.find(before), before.size(), "\"let\": " + let + ",\n  " + before);
  }
  void expect_said(const std::string& let, const std::string& part) {
    const std::string error = error_of(write("k.cu", with_let(let)));
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound: " << error;
  }

  Shape shape;
  DeviceModel device = device_with_shared_memory();

 private:
  static DeviceModel device_with_shared_memory() {
    DeviceModel device;
    device.name = "table";
    device.max_threads_per_block = 1024;
    device.shared_bytes_per_block_optin = 4096;
    return device;
  }
};

TEST_F(NamedExpressions, UseParametersShapeDeviceAndTheNamesAbove) {
  const auto kernel =
      read_kernel_declaration(write("k.cu", with_let(R"({
    "PAD": "LAYOUT == padded ? 8 : 0", "ROW": "D + PAD", "ROWS": "MAX_SHARED_BYTES / 4096 * TILE"})",
                                                     "TILE * 4", "ROWS * ROW * ELEMENT_BYTES")));
  ASSERT_EQ(kernel.lets.size(), 3U);
  EXPECT_EQ(kernel.lets[1], (NamedExpression{"ROW", "D + PAD"}));
  const auto bytes = [&](const std::string& layout) {
    return launch_geometry(kernel, kernel.complete({{"LAYOUT", layout}}), shape, device).dynamic_shared_bytes;
  };
  EXPECT_EQ(bytes("plain"), 8 * 64 * 2);
  EXPECT_EQ(bytes("padded"), 8 * 72 * 2);
}

TEST_F(NamedExpressions, ServeEveryExpressionOfADeclaration) {
  auto kernel = read_kernel_declaration(write("k.cu", with_let(R"({"HALF": "TILE / 2"})")));
  kernel.constraints = {{"HALF != 8", "no eights"}};
  kernel.grid = {"HALF * BLOCK_GROUP", "HALF", "HALF"};
  kernel.block_group = "HALF";
  kernel.threads = "HALF * 32";
  kernel.tiles = {{"S", "HALF", ""}, {"P", "4", "HALF + 4"}};
  const Configuration complete = kernel.complete({});
  EXPECT_EQ(why_invalid(kernel, complete, shape, device), "");
  EXPECT_EQ(why_invalid(kernel, kernel.complete({{"TILE", std::int64_t{16}}}), shape, device), "no eights");
  const LaunchGeometry geometry = launch_geometry(kernel, complete, shape, device);
  EXPECT_EQ(geometry.grid_x, 16);
  EXPECT_EQ(geometry.grid_z, 4);
  EXPECT_EQ(geometry.block_group, 4);
  EXPECT_EQ(geometry.threads, 128);
  EXPECT_EQ(tile_ranges(kernel, complete, shape, device), (std::vector<TileRange>{{"S", 0, 4}, {"P", 8, 4}}));
}

TEST_F(NamedExpressions, SurviveInTheirOrderAsAJsonDocument) {
  const auto kernel =
      read_kernel_declaration(write("k.cu", with_let(R"({"Z": "TILE", "A": "Z + 1", "M": "A + Z"})")));
  const Json document = to_json_document(kernel);
  EXPECT_EQ(document["let"].dump(), R"({"Z":"TILE","A":"Z + 1","M":"A + Z"})");
  EXPECT_EQ(kernel_declaration_from(document, kernel.source_path).lets, kernel.lets);
  const auto without = read_kernel_declaration(write("k.cu", with("eights", "eights")));
  EXPECT_FALSE(to_json_document(without).contains("let"));
}

TEST_F(NamedExpressions, KnowOnlyWhatIsComputedBeforeThem) {
  expect_said(
      R"({"A": "B1 + 1", "B1": "TILE"})",
      "/let/A: 'B1 + 1': 'B1' is not known here yet: an expression under /let uses the names above it");
  expect_said(R"({"A": "A + 1"})", "/let/A: 'A + 1': 'A' is not known here yet");
  expect_said(
      R"({"A": "SHARED_BYTES"})",
      "/let/A: 'SHARED_BYTES': 'SHARED_BYTES' is not known here yet: it is computed after this expression, "
      "from /dynamic_shared_bytes");
  expect_said(R"({"A": "BLOCK_GROUP"})", "'BLOCK_GROUP' is not known here yet");
  expect_said(R"({"A": "TIL + 1"})", "/let/A: 'TIL + 1': there is no name 'TIL' here; did you mean 'TILE'?");
  const std::string group =
      error_of(write("k.cu", with("\"grid\"", "\"block_group\": \"SHARED_BYTES\", \"grid\"")));
  EXPECT_NE(group.find("/block_group: 'SHARED_BYTES': 'SHARED_BYTES' is not known here yet"),
            std::string::npos)
      << group;
  const std::string itself = error_of(write("k.cu", with("TILE * 4", "SHARED_BYTES * 4")));
  EXPECT_NE(itself.find("/dynamic_shared_bytes: 'SHARED_BYTES * 4': 'SHARED_BYTES' is not known"),
            std::string::npos)
      << itself;
}

TEST_F(NamedExpressions, HideNoOtherName) {
  expect_said(R"({"D": "1"})",
              "/let/D: 'D' means something else in expressions (of the shape, the launch or the device)");
  expect_said(R"({"TILE": "1"})",
              "/let/TILE: 'TILE' means something else in expressions (the parameter TILE)");
  expect_said(R"({"padded": "1"})",
              "/let/padded: 'padded' means something else in expressions (a value of the parameter LAYOUT)");
  expect_said(R"({"_pi": "1"})", "/let/_pi: '_pi' is a constant or a function of expressions");
  expect_said(R"({"ceil_div": "1"})", "/let/ceil_div: 'ceil_div' is a constant or a function of expressions");
  expect_said(R"({"A-B": "1"})", "/let/A-B: 'A-B' becomes a name in expressions: use letters");
  expect_said(R"({"A": "1", "A": "2"})", "/let/A: the key is there twice");
}

TEST_F(NamedExpressions, AreAnObjectOfExpressions) {
  expect_said("8", "/let: expected an object in braces, found 8");
  expect_said(R"({"A": 8})", "/let/A: expected an expression in quotes, found 8");
  expect_said(R"({"A": ""})", "/let/A: ''");
  expect_said(R"({"A": "TILE = 8"})", "/let/A: 'TILE = 8': '=' is not a comparison");
}

TEST_F(NamedExpressions, AllThatIsWrongIsOneMessage) {
  const std::string file =
      write("k.cu", with_let("{\n  \"A\": \"TIL\",\n  \"PITCH\": \"(A\"}", "TILE % 8", "PICH % 8"));
  const std::string error = error_of(file);
  EXPECT_NE(error.find("3 problems in the declaration"), std::string::npos) << error;
  EXPECT_NE(error.find("line 7: /let/A: 'TIL'"), std::string::npos) << error;
  EXPECT_NE(error.find("line 8: /let/PITCH: '(A': Missing parenthesis"), std::string::npos) << error;
  EXPECT_NE(error.find("there is no name 'PICH' here; did you mean 'PITCH'?"), std::string::npos) << error;
}

}  // namespace
}  // namespace tilescope
