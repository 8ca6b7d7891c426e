#include "profiler/execution/ptx/parser.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace tilescope::ptx {
namespace {

using Kind = OperandSyntax::Kind;

const std::string head = ".version 8.7\n.target sm_89\n.address_size 64\n";

// A kernel with some registers and a body, which begins on line 10 of the text.
Module kernel(const std::string& body, const std::string& module_scope = "") {
  return parse(head + module_scope +
               ".visible .entry k(.param .u64 n)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n" +
               ".reg .b64 %rd<10>;\n.reg .f32 %f<10>;\n" + body + "\n}\n");
}
const Function& only(const Module& module) {
  return module.functions.at(0);
}
const OperandSyntax& operand(const Module& module, std::size_t instruction, std::size_t index) {
  return only(module).body.at(instruction).operands.at(index);
}
std::string register_name(const Module& module, std::uint32_t index) {
  const RegisterDeclaration& reg = only(module).registers.at(index);
  return std::string(reg.name) + (reg.number == no_index ? "" : std::to_string(reg.number));
}

TEST(Parser, ReadsTheHeadOfAModule) {
  const Module module = parse(".version 9.0\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.version_major, 9);
  EXPECT_EQ(module.version_minor, 0);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.address_size, 64);
  EXPECT_EQ(parse(".version 7.10 .target sm_80").version_minor, 10);
}

TEST(Parser, IgnoresZerosAfterTheText) {
  EXPECT_EQ(parse(head + std::string(3, '\0')).target, "sm_89");
}

TEST(Parser, ReadsAnInstructionWithItsWordsPlaceAndText) {
  const Module module =
      kernel("\tadd.s32\t%r1, %r2, 7;\n  @!%p2 ld.shared::cta.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];");
  const InstructionSyntax& add = only(module).body[0];
  EXPECT_EQ(add.words, (std::vector<std::string_view>{"add", "s32"}));
  EXPECT_EQ(add.position, (Position{10, 2}));
  EXPECT_EQ(add.operands[2].position, (Position{10, 20}));
  EXPECT_EQ(add.text, "add.s32\t%r1, %r2, 7;");
  EXPECT_EQ(add.guard, no_index);
  EXPECT_EQ(add.location, no_index);
  const InstructionSyntax& load = only(module).body[1];
  EXPECT_EQ(load.words, (std::vector<std::string_view>{"ld", "shared::cta", "v4", "u32"}));
  EXPECT_EQ(register_name(module, load.guard), "%p2");
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(load.position, (Position{11, 3}));
  EXPECT_TRUE(load.text.starts_with("@!%p2 ld.") && load.text.ends_with("[%rd1];")) << load.text;
}

TEST(Parser, ReadsWordsThatBeginWithADigit) {
  const Module module =
      kernel("cp.async.bulk.tensor.2d.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];");
  EXPECT_EQ(only(module).body[0].words, (std::vector<std::string_view>{"cp", "async", "bulk", "tensor", "2d",
                                                                       "mbarrier::complete_tx::bytes"}));
  const OperandSyntax& source = operand(module, 0, 1);
  EXPECT_EQ(source.kind, Kind::address);
  ASSERT_EQ(source.elements.size(), 2u);
  EXPECT_EQ(source.elements[0].kind, Kind::reg);
  EXPECT_EQ(source.elements[1].kind, Kind::vector);
  EXPECT_EQ(source.elements[1].elements.size(), 2u);
}

TEST(Parser, SkipsComments) {
  const Module module = kernel("// one ; } \n/* two\n} ; */ ret; // three");
  ASSERT_EQ(only(module).body.size(), 1u);
  EXPECT_EQ(only(module).body[0].position, (Position{12, 8}));
}

struct Literal {
  const char* text;
  Kind kind;
  std::uint64_t bits;
  bool is_single = false;
};
class Literals : public testing::TestWithParam<Literal> {};

TEST_P(Literals, HaveTheirBits) {
  const Module module = kernel("mov.b64 %rd1, " + std::string(GetParam().text) + ";");
  const OperandSyntax& literal = operand(module, 0, 1);
  EXPECT_EQ(literal.kind, GetParam().kind);
  EXPECT_EQ(literal.bits, GetParam().bits);
  EXPECT_EQ(literal.is_single, GetParam().is_single);
  EXPECT_EQ(literal.name, GetParam().text);
  EXPECT_EQ(literal.position, (Position{10, 15}));
}

constexpr std::uint64_t minus(std::uint64_t value) {
  return 0 - value;
}
INSTANTIATE_TEST_SUITE_P(
    Parser, Literals,
    testing::Values(
        Literal{"0", Kind::integer, 0}, Literal{"42", Kind::integer, 42}, Literal{"42U", Kind::integer, 42},
        Literal{"-1", Kind::integer, minus(1)}, Literal{"0xff", Kind::integer, 255},
        Literal{"0XFFU", Kind::integer, 255}, Literal{"017", Kind::integer, 15},
        Literal{"0b101", Kind::integer, 5}, Literal{"18446744073709551615", Kind::integer, ~std::uint64_t{0}},
        Literal{"-9223372036854775808", Kind::integer, std::uint64_t{1} << 63},
        Literal{"0f3F800000", Kind::real, 0x3f800000, true},
        Literal{"0Fff800000", Kind::real, 0xff800000, true},
        Literal{"-0f3F800000", Kind::real, 0xbf800000, true},
        Literal{"0d3FF0000000000000", Kind::real, 0x3ff0000000000000},
        Literal{"1.5", Kind::real, 0x3ff8000000000000}, Literal{".5", Kind::real, 0x3fe0000000000000},
        Literal{"-2e3", Kind::real, 0xc09f400000000000}, Literal{"~0", Kind::integer, ~std::uint64_t{0}},
        Literal{"!3", Kind::integer, 0}, Literal{"3+4*5", Kind::integer, 23},
        Literal{"(3+4)*5", Kind::integer, 35}, Literal{"-3+5", Kind::integer, 2},
        Literal{"1<<4|1", Kind::integer, 17}, Literal{"-8>>1", Kind::integer, minus(4)},
        Literal{"-8/3", Kind::integer, minus(2)}, Literal{"-8%3", Kind::integer, minus(2)},
        Literal{"(.u64)-1>>63", Kind::integer, 1}, Literal{"-1<1U", Kind::integer, 0},
        Literal{"-1<1", Kind::integer, 1}, Literal{"2>1&&0||3==3", Kind::integer, 1},
        Literal{"1?2:3", Kind::integer, 2}, Literal{"0?2:0?3:4", Kind::integer, 4},
        Literal{"6^3&5", Kind::integer, 7}, Literal{"WARP_SZ", Kind::integer, 32},
        Literal{"-WARP_SZ*2", Kind::integer, minus(64)}, Literal{"7!=7", Kind::integer, 0},
        Literal{"7>=7", Kind::integer, 1}, Literal{"7<=6", Kind::integer, 0},
        Literal{"(-9223372036854775807-1)/-1", Kind::integer, std::uint64_t{1} << 63}));

struct Addressed {
  const char* text;
  std::int64_t offset;
};
class Offsets : public testing::TestWithParam<Addressed> {};

TEST_P(Offsets, FollowARegisterOrAVariable) {
  for (const std::string base : {"%rd1", "tile", "n"}) {
    const Module module = kernel("ld.b32 %r1, [" + base + GetParam().text + "];", ".shared .b8 tile[64];\n");
    const OperandSyntax& address = operand(module, 0, 1);
    EXPECT_EQ(address.kind, Kind::address);
    EXPECT_EQ(address.offset, GetParam().offset);
    EXPECT_EQ(address.name, "[" + base + GetParam().text + "]");
    ASSERT_EQ(address.elements.size(), 1u);
    EXPECT_EQ(address.elements[0].kind, base == "%rd1" ? Kind::reg : Kind::variable);
    EXPECT_EQ(address.elements[0].offset, 0);
    EXPECT_EQ(address.elements[0].is_parameter, base == "n");
    EXPECT_FALSE(address.elements[0].is_local);
  }
}
INSTANTIATE_TEST_SUITE_P(Parser, Offsets,
                         testing::Values(Addressed{"", 0}, Addressed{"+16", 16}, Addressed{"-8", -8},
                                         Addressed{"+-4", -4}, Addressed{" + 4*2", 8}, Addressed{"+8-2", 6},
                                         Addressed{"-2*3+0x10", 10}));

TEST(Parser, ReadsAnAbsoluteAddress) {
  const Module module = kernel("ld.global.b32 %r1, [4096];");
  EXPECT_TRUE(operand(module, 0, 1).elements.empty());
  EXPECT_EQ(operand(module, 0, 1).offset, 4096);
}

TEST(Parser, ReadsPairsVectorsSinksAndNegations) {
  const Module module = kernel(
      "setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;\nshfl.sync.bfly.b32 _|%p1, %r1, 1, 31, -1;\n"
      "mov.b64 {%r1, _}, %rd1;\nfma.rn.f32 %f1, -%f2, 0f00000000, %f3;");
  const OperandSyntax& pair = operand(module, 0, 0);
  EXPECT_EQ(pair.kind, Kind::pair);
  EXPECT_EQ(pair.name, "%p1|%p2");
  ASSERT_EQ(pair.elements.size(), 2u);
  EXPECT_EQ(register_name(module, pair.elements[0].index), "%p1");
  EXPECT_EQ(register_name(module, pair.elements[1].index), "%p2");
  EXPECT_TRUE(operand(module, 0, 3).negated);
  EXPECT_EQ(register_name(module, operand(module, 0, 3).index), "%p3");
  EXPECT_EQ(operand(module, 1, 0).elements[0].kind, Kind::sink);
  const OperandSyntax& vector = operand(module, 2, 0);
  EXPECT_EQ(vector.kind, Kind::vector);
  EXPECT_EQ(vector.elements[0].kind, Kind::reg);
  EXPECT_EQ(vector.elements[1].kind, Kind::sink);
  EXPECT_TRUE(operand(module, 3, 1).negated);
}

TEST(Parser, ReadsSpecialRegisters) {
  const Module module = kernel("mov.u32 %r1, %tid.x;\nmov.u64 %rd1, %clock64;\nmov.u32 %r2, %envreg3;");
  EXPECT_EQ(operand(module, 0, 1).kind, Kind::special);
  EXPECT_EQ(operand(module, 0, 1).name, "%tid.x");
  EXPECT_EQ(operand(module, 1, 1).name, "%clock64");
  EXPECT_EQ(operand(module, 2, 1).kind, Kind::special);
}

TEST(Parser, MakesRegistersOfARangeWhenTheyAreUsed) {
  const Module module =
      kernel(".reg .b16 %h<4000000000>, %h1<10>;\nmov.b16 %h3999999999, %h15;\nmov.b16 %h15, 0;");
  const Function& function = only(module);
  ASSERT_EQ(function.registers.size(), 2u);
  EXPECT_EQ(function.registers[0].name, "%h");
  EXPECT_EQ(function.registers[0].number, 3999999999u);
  EXPECT_EQ(function.registers[0].type, Type::b16);
  EXPECT_EQ(operand(module, 0, 1).index, operand(module, 1, 0).index);
}

TEST(Parser, ScopesShadowRegisters) {
  const Module module = kernel(R"(mov.b32 %r1, 0;
{ .reg .pred p; .reg .b32 %r1, t<2>;
  mov.b32 %r1, t1;
  { .reg .b64 %r<2>; mov.b64 %r1, 0; mov.b32 %r2, 0; }
  mov.b32 %r1, 1;
}
mov.b32 %r1, 2;
mov.b32 %r2, 3;
{ .reg .b64 p; mov.b64 p, 0; })");
  const Function& function = only(module);
  const auto target = [&](std::size_t i) { return operand(module, i, 0).index; };
  EXPECT_NE(target(1), target(0));
  EXPECT_EQ(function.registers[operand(module, 1, 1).index].name, "t");
  EXPECT_EQ(function.registers[target(2)].type, Type::b64);
  EXPECT_EQ(function.registers[target(3)].type, Type::b32);
  EXPECT_EQ(target(4), target(1));
  EXPECT_EQ(target(5), target(0));
  EXPECT_EQ(target(6), target(3))
      << "a register of an outer range outlives the scope that it was first used in";
  EXPECT_EQ(function.registers[target(7)].type, Type::b64);
}

TEST(Parser, ResolvesLabelsByScope) {
  const Module module = kernel(R"(bra END;
{ bra LOOP; bra END; LOOP: ret; }
LOOP: bra LOOP;
{ LOOP: bra LOOP; { bra LOOP; } }
END:)");
  const auto target = [&](std::size_t i) { return operand(module, i, 0).index; };
  EXPECT_EQ(operand(module, 0, 0).kind, Kind::label);
  EXPECT_EQ(target(0), 7u) << "a label at the end stands behind the last instruction";
  EXPECT_EQ(target(1), 3u);
  EXPECT_EQ(target(2), 7u);
  EXPECT_EQ(target(4), 4u);
  EXPECT_EQ(target(5), 5u);
  EXPECT_EQ(target(6), 5u);
}

TEST(Parser, ReadsBranchTables) {
  const Module module =
      kernel("brx.idx %r1, later;\nA: ret;\nB:\nlater: .branchtargets\n\tB, A,\n\tA;\nret;");
  EXPECT_EQ(operand(module, 0, 1).kind, Kind::table);
  EXPECT_EQ(operand(module, 0, 1).index, 0u);
  EXPECT_EQ(only(module).branch_tables, (std::vector<std::vector<std::uint32_t>>{{2, 1, 1}}));
}

TEST(Parser, ReadsCalls) {
  const Module module =
      parse(head + R"(.extern .func (.param .b32 r) f(.param .b64 a, .param .align 4 .b8 b[12]);
.visible .entry k() {
  .reg .b64 %rd<3>;
  { .param .b64 a; .param .align 8 .b8 back[16];
    call.uni (back), f, (a, back);
    proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);
    call (back), %rd1, (a), proto;
    call f, ();
  }
})");
  const Function& k = *module.find("k");
  const InstructionSyntax& call = k.body[0];
  ASSERT_EQ(call.operands.size(), 3u);
  EXPECT_EQ(call.operands[0].kind, Kind::vector);
  EXPECT_EQ(call.operands[0].elements[0].kind, Kind::variable);
  EXPECT_TRUE(call.operands[0].elements[0].is_local);
  EXPECT_EQ(k.variables[call.operands[0].elements[0].index].name, "back");
  EXPECT_EQ(call.operands[1].kind, Kind::function);
  EXPECT_EQ(call.operands[1].name, "f");
  EXPECT_EQ(k.body[1].operands[3].kind, Kind::function);
  EXPECT_TRUE(k.body[2].operands[1].elements.empty());
  EXPECT_EQ(k.variables[1].space, Space::param);
  EXPECT_EQ(k.variables[1].bytes, 16u);
  const Function& f = *module.find("f");
  EXPECT_FALSE(f.has_body);
  EXPECT_FALSE(f.is_entry);
  EXPECT_EQ(f.results.size(), 1u);
  EXPECT_EQ(f.parameters[1].bytes, 12u);
}

TEST(Parser, AFunctionMayBeDeclaredBeforeItIsDefined) {
  const Module module = parse(head + R"(.func f(.param .b32 a);
.func f(.param .b32 a) .noreturn { ret; }
.func f(.param .b32 a);
.weak .func (.param .b32 r) g(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; st.param.b32 [r], x; ret; })");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_TRUE(module.find("f")->has_body);
  EXPECT_EQ(module.find("h"), nullptr);
  // A result is addressed like a parameter after the others.
  const OperandSyntax& result = module.find("g")->body[1].operands[0].elements[0];
  EXPECT_TRUE(result.is_parameter);
  EXPECT_EQ(result.index, 1u);
}

TEST(Parser, LaysOutParameters) {
  const Module module = parse(head + R"(.visible .entry k(
	.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 8 .b8 c[12], .param .f32 d,
  .param .align 64 .b8 e[128])
.reqntid 16, 8, 2
.minnctapersm 2
.maxnreg 128
{ ret; })");
  const Function& function = only(module);
  EXPECT_TRUE(function.is_entry && function.has_body);
  EXPECT_EQ(function.max_threads, 256u);
  EXPECT_EQ(function.position, (Position{4, 17}));
  std::vector<std::uint64_t> offsets, bytes;
  for (const Parameter& parameter : function.parameters) {
    offsets.push_back(parameter.offset);
    bytes.push_back(parameter.bytes);
  }
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 8, 16, 28, 64}));
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{1, 8, 12, 4, 128}));
  EXPECT_EQ(function.parameters[1].align, 8u);
  EXPECT_EQ(function.parameters[1].type, Type::u64);
}

}  // namespace
}  // namespace tilescope::ptx
