#include <gtest/gtest.h>

#include "profiler/execution/ptx/parser.hpp"

namespace tilescope::ptx {
namespace {

const std::string head = ".version 8.7\n.target sm_89\n.address_size 64\n";
// The body of a kernel begins on line 6.
const std::string body =
    head + ".entry k(.param .u64 n) { .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n\n";

struct Refusal {
  std::string text;
  Position position;
  std::string message;  // a part of it
  bool is_unsupported = false;
};
class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, SayWhereAndWhy) {
  const Refusal& expected = GetParam();
  try {
    parse(expected.text);
    ADD_FAILURE() << "was parsed: " << expected.text;
  } catch (const PtxError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(expected.message), std::string::npos) << what;
    EXPECT_EQ(error.position.line, expected.position.line) << what;
    EXPECT_EQ(error.position.column, expected.position.column) << what;
    EXPECT_TRUE(what.starts_with("PTX line " + std::to_string(expected.position.line) + ", column " +
                                 std::to_string(expected.position.column) + ": "))
        << what;
    EXPECT_EQ(dynamic_cast<const Unsupported*>(&error) != nullptr, expected.is_unsupported) << what;
  }
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Head, Refusals,
    testing::Values(
        Refusal{"", {1, 1}, "expected '.version', which PTX begins with, found the end of the text"},
        Refusal{"\n  int main() {}", {2, 3}, "expected '.version', which PTX begins with, found 'int'"},
        Refusal{".version 8\n", {1, 10}, "a version such as 8.7, found '8'"},
        Refusal{".version 1e1\n", {1, 10}, "expected a version such as 8.7, found '1e1'"},
        Refusal{".version 2.3\n.target sm_89", {1, 10}, "PTX ISA 2.3 is not read here", true},
        Refusal{".version 10.0\n.target sm_89", {1, 10}, "compile for ISA 3.0 to 9.x", true},
        Refusal{".version 8.7\n.reg", {2, 1}, "expected '.target' after the version, found '.reg'"},
        Refusal{
            ".version 8.7\n.target sm_20", {2, 9}, "'sm_20' is not executed here; compile for sm_30", true},
        Refusal{".version 8.7\n.target sm_89a", {2, 9}, "'sm_89a' is not executed here", true},
        Refusal{".version 8.7\n.target sm_89\n.address_size 32", {3, 15}, "compile for 64 bits", true},
        Refusal{head + "ecubinZ", {4, 1}, "expected a directive of the module, found 'ecubinZ'"},
        Refusal{head + ".tex .u32 t;", {4, 1}, "'.tex' is not known at the level of a module", true},
        Refusal{head + ".global .texref t;", {4, 9}, "textures and surfaces are not executed here", true},
        Refusal{head + ".local .b8 t;", {4, 1}, "'.local' can only stand in a function"},
        Refusal{head + "/* open", {4, 1}, "the comment '/*' has no end"},
        Refusal{head + ".file 1 \"open\n", {4, 9}, "the string has no end"},
        Refusal{head + ".file 1 open", {4, 9}, "the path of a .file in quotes, found 'open'"},
        Refusal{head + ".section .debug_info { .b8 1", {4, 29}, "'}' at the end of the section"},
        Refusal{head + ".section .debug_str { .b32 1 }", {4, 23}, "expected '.b8'"},
        Refusal{head + "\x01", {4, 1}, "the character '?' is not of PTX"}));

INSTANTIATE_TEST_SUITE_P(
    Declarations, Refusals,
    testing::Values(
        Refusal{head + ".global .u32 a\n.global .u32 b;",
                {5, 1},
                "expected ';' after the declaration, found '.global'"},
        Refusal{head + ".global a;", {4, 9}, "expected a type, such as '.b32', found 'a'"},
        Refusal{head + ".global .align 3 .u32 a;", {4, 16}, "an alignment must be a power of two"},
        Refusal{head + ".global .align 0 .u32 a;", {4, 16}, "an alignment must be a power of two"},
        Refusal{head + ".global .align 131072 .u32 a;",
                {4, 16},
                "an alignment is 131072; it must be a number from 0"},
        Refusal{head + ".global .e4m3 a;", {4, 9}, "'.e4m3' is not known in a declaration", true},
        Refusal{head + ".global .pred a;", {4, 15}, "a variable cannot be a predicate"},
        Refusal{head + ".global .u32 a[-1];", {4, 16}, "the size of an array is -1"},
        Refusal{head + ".global .u32 a[99999999999];", {4, 16}, "the size of an array is 99999999999"},
        Refusal{head + ".global .u32 a[99999][99999][99999];", {4, 14}, "an array exceeds 68719476736 B"},
        Refusal{head + ".global .u32 a[0][99999][99999][99999];", {4, 14}, "an array exceeds"},
        Refusal{head + ".global .u32 a[2][];", {4, 19}, "only the first may be left out"},
        Refusal{head + ".global .u32 a[];", {4, 14}, "'a' has neither a size nor initial values"},
        Refusal{
            head + ".global .u32 a[2] = {1,2,3};", {4, 26}, "'a' has more initial values than its 8 B hold"},
        Refusal{head + ".global .u32 a = {{1}};", {4, 19}, "more braces than the array has dimensions"},
        Refusal{head + ".global .u32 a = b;", {4, 18}, "'b' is not a variable of the module"},
        Refusal{
            head + ".global .u32 b; .global .u32 a = b;", {4, 34}, "an address in less than 64 bits", true},
        Refusal{head + ".global .u16 a = 1.5;", {4, 18}, "a floating-point number cannot initialise a .u16"},
        Refusal{head + ".global .f16 a = 1;", {4, 18}, "an integer cannot initialise a .f16"},
        Refusal{
            head + ".global .u64 b; .global .b8 a[8] = {0xFF(b), 1};", {4, 46}, "part of an address", true},
        Refusal{
            head + ".global .u64 b; .global .b8 a[8] = {0xFF00(b)};", {4, 37}, "part of an address", true},
        Refusal{head + ".global .u64 b; .global .b8 a[1] = {0xFF(b)};", {4, 37}, "part of an address", true},
        Refusal{
            head + ".global .u32 a; .global .u32 a;", {4, 30}, "'a' is declared a second time in this scope"},
        Refusal{head + ".func f() { ret; }\n.func f() { ret; }",
                {5, 7},
                "'f' is defined a second time; the first is on line 4"},
        Refusal{head + ".global .u32 f;\n.func f;",
                {5, 7},
                "'f' is declared a second time in this scope; the first is on line 4"},
        Refusal{head + ".entry k(.param .b8 n[32765]) {}", {4, 10}, "the parameters exceed 32764 B"},
        Refusal{head + ".entry k(.shared .b8 n) {}", {4, 10}, "expected '.param' or '.reg', found '.shared'"},
        Refusal{head + ".entry k() .maxntid 65536, 65536, 2 {}",
                {4, 12},
                "the numbers of '.maxntid' are too large"},
        Refusal{
            head + ".entry k() .blocksareclusters {}", {4, 12}, "'.blocksareclusters' of a function", true}));

INSTANTIATE_TEST_SUITE_P(
    Bodies, Refusals,
    testing::Values(
        Refusal{body + "add.s32 %r1, %r2 %r3; }",
                {6, 18},
                "expected ';' after the operands of 'add', found '%r3'"},
        Refusal{body + "add.s32 %r1, %r9; }", {6, 14}, "the register '%r9' is not declared"},
        Refusal{body + "add.s32 %r1, %r01; }", {6, 14}, "the register '%r01' is not declared"},
        Refusal{body + "add.s32 %r1, %q.x; }", {6, 14}, "the register '%q' is not declared"},
        Refusal{body + "bra $L1; }",
                {6, 5},
                "'$L1' is not declared: no label, register or variable has this name"},
        Refusal{body + "{ $L1: ret; } bra $L1; }", {6, 19}, "'$L1' is not declared"},
        Refusal{body + "A: ret;\nA: ret; }",
                {7, 1},
                "'A' is declared a second time in this scope; the first is on line 6"},
        Refusal{body + "ld.b32 %r1, [x]; }",
                {6, 14},
                "'x' is not declared; a register or a variable is expected"},
        Refusal{body + "ld.b32 %r1, [%r1+%r2]; }", {6, 18}, "expected an integer, found '%r2'"},
        Refusal{body + "ld.b32 %r1, [%rd1; }", {6, 18}, "expected ']' after the address, found ';'"},
        Refusal{body + "ld.b32 %r1, [%tid.x]; }", {6, 14}, "expected a register or a variable as an address"},
        Refusal{body + "ld.b32 %r1, n[4]; }", {6, 14}, "add the offset in bytes", true},
        Refusal{body + "mov.b32 %r1, %r2.x; }", {6, 17}, "'.x' is a component, and '%r2' is not a vector"},
        Refusal{body + "mov.b32 {%r1, %r2, 1; }",
                {6, 21},
                "expected '}' after the elements of an operand, found ';'"},
        Refusal{body + "setp.b32 %p1|3, 1; }", {6, 14}, "expected a register after '|', found '3'"},
        Refusal{body + "mov.b32 %r1, -n; }", {6, 15}, "expected a register after '-', found 'n'"},
        Refusal{body + "mov.b32 %r1, !1.5; }", {6, 14}, "'!' cannot stand before a floating-point number"},
        Refusal{body + "@%r1 bra A; A: }", {6, 2}, "'%r1' is not a predicate, so it cannot guard"},
        Refusal{body + "@p bra A; A: }", {6, 2}, "'p' is not declared; a .reg .pred must declare it"},
        Refusal{body + "@%p1 { }", {6, 6}, "expected an instruction after the guard, found '{'"},
        Refusal{body + "%r1 = 3; }", {6, 1}, "expected an instruction, found '%r1'"},
        Refusal{body + ") }", {6, 1}, "expected an instruction, a label or '}', found ')'"},
        Refusal{body + "ret;", {6, 5}, "expected an instruction, a label or '}', found the end of the text"},
        Refusal{body + "mov.b32 %r1, 99999999999999999999; }",
                {6, 14},
                "the number '99999999999999999999' does not fit"},
        Refusal{body + "mov.b32 %r1, 0x; }", {6, 14}, "the number '0x' has no digits"},
        Refusal{
            body + "mov.b32 %r1, 08; }", {6, 14}, "the number '08' has a digit that does not belong to it"},
        Refusal{body + "mov.b32 %r1, 0f3F8; }", {6, 14}, "'0f3F8' must have 8 hexadecimal digits"},
        Refusal{body + "mov.b32 %r1, 0d3F800000; }", {6, 14}, "must have 16 hexadecimal digits"},
        Refusal{body + "mov.b32 %r1, 1e999; }", {6, 14}, "the number '1e999' is out of the range of f64"},
        Refusal{body + "mov.b32 %r1, 1/0; }", {6, 15}, "a constant is divided by zero"},
        Refusal{body + "mov.b32 %r1, 1<<64; }", {6, 15}, "shifted by more than 63 bits"},
        Refusal{body + "mov.b32 %r1, (.u32)1; }", {6, 15}, "expected '.u64' or '.s64', found '.u32'"},
        Refusal{body + "A: .branchtargets B; ret; }", {6, 19}, "'B' is not declared"},
        Refusal{body + "A: .branchtargets A; ret; }", {6, 19}, "'A' is not a label of an instruction"},
        Refusal{body + ".reg .v2 .pred p; }", {6, 16}, "a predicate cannot be a vector"},
        Refusal{
            body + ".reg .v2 .b32 v<3>; mov.b32 %r1, v2.w; }", {6, 36}, "'.w' is not a component of 'v2'"},
        Refusal{body + ".reg .b32 v<4294967295>; }", {6, 13}, "'4294967295' registers is too large"},
        Refusal{body + ".reg .b32 v; .reg .b64 v; }", {6, 24}, "'v' is declared a second time in this scope"},
        Refusal{body + ".tex .u32 v; }", {6, 1}, "the directive '.tex' is not known in a function", true},
        Refusal{body + ".loc 1 2 4294967296\n}", {6, 10}, "the column of a .loc is 4294967296"},
        Refusal{
            body + ".loc 1 2 3, called_at 1 2 3\n}", {6, 13}, "expected 'function_name' or 'inlined_at'"}));

INSTANTIATE_TEST_SUITE_P(
    Nesting, Refusals,
    testing::Values(
        Refusal{body + repeated("{", 63), {6, 63}, "scopes are nested deeper than 64"},
        Refusal{body + "mov.b32 " + repeated("{", 9), {6, 17}, "operands are nested deeper than 8"},
        Refusal{body + "mov.b32 " + repeated("[1,", 9), {6, 33}, "operands are nested deeper than 8"},
        Refusal{body + "mov.b32 %r1, " + repeated("(", 200), {6, 46}, "nested deeper than 64"},
        Refusal{body + "mov.b32 %r1, " + repeated("- ", 200), {6, 142}, "nested deeper than 64"},
        Refusal{head + ".global .u32 a = {" + repeated("{", 999), {4, 19}, "more braces"}));

TEST(Refusals, QuoteALongWordInPart) {
  try {
    parse(head + std::string(5000, 'x'));
    ADD_FAILURE();
  } catch (const PtxError& error) {
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

}  // namespace
}  // namespace tilescope::ptx
