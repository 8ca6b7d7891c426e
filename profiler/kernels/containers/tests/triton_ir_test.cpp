// Facts on a kernel in Triton's IR and in the Python file. The texts have the forms of Triton 3.5 (.source) and 3.1 (.ttir).
#include "profiler/kernels/containers/triton_ir.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

constexpr const char* python = R"(import triton
import triton.language as tl

@triton.jit
def other(x, BLOCK: tl.constexpr):
    return x + tl.arange(0, BLOCK)

@triton.jit
def add(x_ptr, n,  # elements
        GROUP: tl.constexpr, BLOCK: "tl.constexpr" = 64,
        UNKNOWN: tl.constexpr = 3):
    pid = tl.program_id(0) // GROUP
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at < n)
)";

constexpr const char* source_ir = R"(#loc = loc("/home/me/add.py":9:0)
#loc9 = loc("x_ptr"(#loc))
module {
  tt.func public @add(%x_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %pid = tt.get_program_id x : i32 loc(#loc10)
    %pid_0 = arith.constant 8 : i32 loc(#loc11)
    %pid_1 = arith.constant 2147483647 : i64 loc(#loc11)
    %at = arith.constant 128 : i32 loc(#loc12)
    %at_2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32> loc(#loc3)
    %far = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32> loc(#loc4)
  }
}
#loc1 = loc("/home/me/add.py":12:30)
#loc2 = loc("/home/me/add.py":13:15)
#loc3 = loc("/home/me/add.py":13:36)
#loc4 = loc("/home/me/add.py":6:28)
#loc10 = loc("pid"(#loc1))
#loc11 = loc("pid"(#loc1))
#loc12 = loc("at"(#loc2))
)";

TEST(TritonIr, NamesParametersWithTypes) {
  EXPECT_EQ(triton_source(source_ir), "/home/me/add.py");
  const std::vector<TritonParameter> expected = {{"x_ptr", "__nv_bfloat16*"}, {"n", "int"}};
  EXPECT_EQ(triton_function(source_ir, "", "add").parameters, expected);
  EXPECT_TRUE(triton_function(source_ir, "", "sub").parameters.empty());
}

TEST(TritonIr, TakesNamesThatItLacksFromThePythonFile) {
  const char* const old =
      "#loc = loc(\"/home/me/add.py\":9:0)\n"
      "tt.func public @add(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32} "
      "loc(\"/home/me/add.py\":9:0), %arg1: i64 loc(\"/home/me/add.py\":9:0)) {\n";
  const std::vector<TritonParameter> named = {{"x_ptr", "float*"}, {"n", "long long"}};
  EXPECT_EQ(triton_function(old, python, "add").parameters, named);
  const std::vector<TritonParameter> unnamed = {{"", "float*"}, {"", "long long"}};
  EXPECT_EQ(triton_function(old, "", "add").parameters, unnamed);
}

TEST(TritonIr, FindsTheNumbersThatWereCompiledIn) {
  const std::map<std::string, TritonConstant> expected = {{"BLOCK", {128, 10}}, {"GROUP", {8, 10}}};
  EXPECT_EQ(triton_function(source_ir, python, "add").constants, expected)
      << "the range of the other function is none of this one's";
  EXPECT_TRUE(triton_function(source_ir, "", "add").constants.empty());
}

TEST(TritonIr, LeavesOutWhatOperationsDisagreeOn) {
  std::string ir = source_ir;
  ir.insert(ir.find("    %far"),
            "    %b = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> loc(#loc3)\n");
  EXPECT_FALSE(triton_function(ir, python, "add").constants.contains("BLOCK"));
  EXPECT_TRUE(triton_function(ir, python, "add").constants.contains("GROUP"));
}

TEST(TritonIr, NamesWhatWasCompiledIn) {
  const char* const ir =
      "#loc = loc(\"/home/me/add.py\":9:0)\n"
      "tt.func public @add(%x_ptr: !tt.ptr<f32> loc(\"x_ptr\"(#loc))) {\n";
  EXPECT_EQ(triton_function(ir, python, "add").compiled_in, std::vector<std::string>{"n"});
  EXPECT_TRUE(triton_function(source_ir, python, "add").compiled_in.empty());
}

TEST(TritonIr, DamagedTextsGiveNothing) {
  const std::string whole = source_ir, text = python;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const TritonFunction function = triton_function(whole.substr(0, length), text, "add");
    EXPECT_LE(function.parameters.size(), 2u);
  }
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto constants = triton_function(whole, text.substr(0, length), "add").constants;
    for (const auto& [name, constant] : constants) EXPECT_TRUE(name == "BLOCK" || name == "GROUP") << name;
  }
  EXPECT_TRUE(triton_function("#loc1 = loc(\"\n#loc2 = loc(\"a.py\":99999999999999999999:1)\n", text, "add")
                  .constants.empty());
}

}  // namespace
}  // namespace tilescope
