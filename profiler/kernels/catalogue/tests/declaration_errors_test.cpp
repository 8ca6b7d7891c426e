// The errors of a declaration: all of them at once, with file and line.

#include "base/json.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"

namespace tilescope {
namespace {

class DeclarationErrors : public DeclarationTest {
 protected:
  // Expects this part in the message for a declaration in which one text replaces another.
  void expect_said(const std::string& from, const std::string& to, const std::string& part) {
    const std::string error = error_of(write("k.cu", with(from, to)));
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound: " << error;
  }
};

TEST_F(DeclarationErrors, OneProblemHasFileAndLine) {
  EXPECT_EQ(
      error_of(write("k.cu", with(R"("role": "rung")", R"("role": "rug")"))),
      (folder_ / "k.cu").string() + ":3: /role: 'rug' is not one of 'rung', 'exhibit', 'baseline', 'micro'");
}

TEST_F(DeclarationErrors, AllProblemsAreOneMessageInTheOrderOfTheFile) {
  const std::string text = R"json(// A comment of two
// lines.
/* tilescope-kernel
{
  "name": "k", "rol": "rung",
  "title": "t",
  "dtypes": ["fp16", "fp8"],
  "parameters": [
    {"name": "TILE", "values": [8, 16], "default": 9},
    {"name": "MODE", "values": ["a-b"], "default": "a-b", "help": "h"}
  ],
  "constraints": [{"expression": "TILE > 8"}],
  "threads": 128,
  "threads": "32",
  "dynamic_shared_bytes": "0",
  "arguments": [
    {"type": "pointr", "value": "Q"}, {"type": "pointer", "value": "Key"},
    {"type": "pointer", "value": "scratch"}, {"type": "int32"}
  ]
}
*/
)json";
  const std::string file = write("k.cu", text).string();
  EXPECT_EQ(error_of(file), file + R"(: 14 problems in the declaration:
  line 4: /role is missing: it holds a name in quotes
  line 4: /entry is missing: it holds the name in quotes of the extern "C" function
  line 4: /grid is missing: it holds a list of three expressions in quotes: the blocks along x, y and z
  line 5: /rol: there is no such key; did you mean 'role'?
  line 7: /dtypes/1: 'fp8' is not a data type: there are 'fp16' and 'bf16'
  line 9: /parameters/0/default: TILE = 9 is not one of 8, 16
  line 9: /parameters/0/help is missing: it holds a sentence in quotes for the slider
  line 10: /parameters/1/values/0: "a-b" becomes a macro and a name in expressions: use letters, digits and '_', and do not start with a digit
  line 12: /constraints/0/text is missing: it holds the sentence for a configuration that it refuses
  line 13: /threads: the key is there twice
  line 17: /arguments/0/type: 'pointr' is not one of 'attention_problem', 'pointer', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64'
  line 17: /arguments/1/value: 'Key' is not one of 'Q', 'K', 'V', 'O', 'LSE', 'scratch', 'null'
  line 18: /arguments/2/bytes is missing: it holds an expression in quotes: the size of the scratch memory
  line 18: /arguments/3/value is missing: it holds an expression in quotes)");
}

TEST_F(DeclarationErrors, AnUnknownKeyIsNotIgnoredWhereverItIs) {
  expect_said("\"tiles\"", "\"tile\"", "/tile: there is no such key; did you mean 'tiles'?");
  expect_said("\"help\"", "\"hlep\"", "/parameters/0/hlep: there is no such key; did you mean 'help'?");
  expect_said("\"text\"", "\"txt\"", "/constraints/0/txt: there is no such key; did you mean 'text'?");
  expect_said("\"offset\"", "\"ofset\"", "/tiles/1/ofset: there is no such key; did you mean 'offset'?");
  expect_said("\"bytes\": \"4 * Sq\"", "\"byte\": \"4 * Sq\"",
              "/arguments/1/byte: there is no such key; did you mean 'bytes'?");
}

TEST_F(DeclarationErrors, AWrongTypeSaysWhatIsExpectedAndWhatIsThere) {
  expect_said(R"("threads": "32")", R"("threads": 32)",
              "/threads: expected an expression in quotes: the threads of a block, found 32");
  expect_said(
      R"x(["ceil_div(Sq, TILE)", "Hq", "B"])x", R"(["Sq", "Hq"])",
      R"(/grid: expected a list of three expressions in quotes: the blocks along x, y and z, found ["Sq","Hq"])");
  expect_said(R"({"name": "TILE", "values": [8, 16], "default": 8, "help": "h"})", "8",
              "/parameters/0: expected an object in braces, found 8");
  expect_said(R"("values": [8, 16])", R"("values": [8, 0.5])",
              "/parameters/0/values/1: expected a whole number or a name, found 0.5");
  expect_said(R"("dtypes": ["fp16"])", R"("dtypes": [])", "/dtypes: the list is empty");
}

TEST_F(DeclarationErrors, ExpressionsAreReadWithTheDeclaration) {
  expect_said("ceil_div(Sq, TILE)", "ceil_div(Sq, TIL)",
              "/grid/0: 'ceil_div(Sq, TIL)': there is no name 'TIL' here; did you mean 'TILE'?");
  expect_said("TILE % 8 == 0", "TILE % 8 = 0",
              "/constraints/0/expression: 'TILE % 8 = 0': '=' is not a comparison");
  expect_said("TILE * 2", "(TILE * 2", "/tiles/0/bytes: '(TILE * 2': Missing parenthesis");
  // A name that is missing because its parameter is wrong is not reported separately.
  const std::string error = error_of(write("k.cu", with(R"("name": "TILE")", R"("nam": "TILE")")));
  EXPECT_EQ(error.find("there is no name"), std::string::npos) << error;
}

TEST_F(DeclarationErrors, NamesThatMeanSomethingElseAreRefused) {
  expect_said("\"LAYOUT\"", "\"D\"", "/parameters/1/name: 'D' means something else in expressions");
  expect_said("\"LAYOUT\"", "\"HEAD_DIM\"",
              "/parameters/1/name: 'HEAD_DIM' is a macro of the shape, which this kernel gets");
  expect_said("\"LAYOUT\"", "\"TILE\"", "/parameters: two are named 'TILE'");
  expect_said("\"LAYOUT\"", "\"_pi\"",
              "/parameters: a parameter or a value has a name that means a constant in expressions");
  expect_said("\"entry\"", "\"rung\": 0, \"entry\"", "/rung: the ladder begins with 1, found 0");
}

TEST_F(DeclarationErrors, TextThatIsNoJsonHasItsLine) {
  const std::string error = error_of(write("k.cu", "\n\n/* tilescope-kernel\n{\"name\": }*/"));
  EXPECT_NE(error.find("k.cu:4: the declaration is not JSON: syntax error"), std::string::npos) << error;
  EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
}

TEST_F(DeclarationErrors, WithoutADeclarationThatIsSaid) {
  EXPECT_NE(error_of(write("k.cu", "int x;")).find("k.cu does not declare a kernel"), std::string::npos);
  EXPECT_NE(error_of(write("k.cu", "/* tilescope-kernel {")).find("has no end"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "absent.cu").find("absent.cu: cannot be opened: No such file"),
            std::string::npos);
}

TEST_F(DeclarationErrors, WhatALibraryLaunchesHasNoGeometry) {
  const std::string error = error_of(write("l.json", R"json({
  "name": "l", "role": "baseline", "library": "cudnn", "title": "t", "dtypes": ["fp16"], "parameters": [],
  "constraints": [], "threads": "32"
})json"));
  EXPECT_EQ(error, (folder_ / "l.json").string() + ":3: /threads: cuDNN launches the kernel: leave it out");
}

TEST_F(DeclarationErrors, OfADocumentWithoutAFileHaveNoLine) {
  try {
    kernel_declaration_from(Json{{"name", "k"}}, "k.cu");
    FAIL() << "it was accepted";
  } catch (const DeclarationError& error) {
    EXPECT_NE(std::string(error.what()).find("problems in the declaration:\n  /title is missing"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(error.kernel(), "k");
  }
}

}  // namespace
}  // namespace tilescope
