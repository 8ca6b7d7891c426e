#include <gtest/gtest.h>

#include <cstring>

#include "profiler/execution/ptx/parser.hpp"

namespace tilescope::ptx {
namespace {

const std::string head = ".version 8.7\n.target sm_89\n.address_size 64\n";

Module module_of(const std::string& declarations) {
  return parse(head + declarations);
}
template <typename Value>
std::vector<Value> values(const Variable& variable) {
  std::vector<Value> read(variable.initial.size() / sizeof(Value));
  std::memcpy(read.data(), variable.initial.data(), variable.initial.size());
  return read;
}

TEST(Variables, HaveASpaceATypeAnAlignmentAndASize) {
  const Module module = module_of(R"(.extern .shared .align 16 .b8 shared[];
.global .u32 a; .visible .const .align 8 .f32 b[4][3]; .global .v4 .f32 c, d[2];
.global .attribute(.managed) .u64 e;)");
  ASSERT_EQ(module.variables.size(), 6u);
  const Variable& shared = module.variables[0];
  EXPECT_EQ(shared.space, Space::shared);
  EXPECT_TRUE(shared.is_extern);
  EXPECT_EQ(shared.bytes, 0u);
  EXPECT_EQ(shared.align, 16u);
  EXPECT_EQ(shared.position, (Position{4, 31}));
  EXPECT_EQ(module.variables[1].align, 4u);
  EXPECT_EQ(module.variables[1].bytes, 4u);
  EXPECT_TRUE(module.variables[1].initial.empty());
  EXPECT_EQ(module.variables[2].space, Space::constant);
  EXPECT_EQ(module.variables[2].align, 8u);
  EXPECT_EQ(module.variables[2].bytes, 48u);
  EXPECT_EQ(module.variables[3].bytes, 16u);
  EXPECT_EQ(module.variables[3].align, 16u);
  EXPECT_EQ(module.variables[4].bytes, 32u);
  EXPECT_EQ(module.variables[5].name, "e");
}

TEST(Variables, OfAFunctionAreItsOwn) {
  const Module module = module_of(R"(.shared .b8 tile[16];
.entry k() { .reg .b32 %r<2>; .shared .align 4 .b32 tile[8]; .local .b8 depot[32]; mov.b32 %r1, tile+4; })");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.variables.size(), 2u);
  EXPECT_EQ(function.variables[0].bytes, 32u);
  EXPECT_EQ(function.variables[1].space, Space::local);
  const OperandSyntax& tile = function.body[0].operands[1];
  EXPECT_EQ(tile.kind, OperandSyntax::Kind::variable);
  EXPECT_TRUE(tile.is_local);
  EXPECT_EQ(tile.index, 0u);
  EXPECT_EQ(tile.offset, 4);
}

TEST(Variables, AreInitialised) {
  const Module module = module_of(R"(.global .u32 a = 32, b[3] = {1, -2};
.global .b16 c[][2] = {{1, 2}, {3}, {5, 6}};
.global .f32 d[4] = {0f3F800000, 1.5, -2, 0d4008000000000000};
.global .f64 e[3] = {0f3F800000, 1.5, 7};
.global .v2 .s8 f[2] = {{1, -1}, {0x7f, 0}};
.global .b16 g[2][2] = {1, 2, 3, 4};
.const .b64 h = 2 * (3 + 4);
.global .b32 i = 0f3F800000;
.global .b128 j = -2;)");
  const auto& all = module.variables;
  EXPECT_EQ(values<std::uint32_t>(all[0]), (std::vector<std::uint32_t>{32}));
  EXPECT_EQ(values<std::int32_t>(all[1]), (std::vector<std::int32_t>{1, -2, 0}));
  EXPECT_EQ(all[2].bytes, 12u);
  EXPECT_EQ(values<std::uint16_t>(all[2]), (std::vector<std::uint16_t>{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(values<float>(all[3]), (std::vector<float>{1, 1.5f, -2, 3}));
  EXPECT_EQ(values<double>(all[4]), (std::vector<double>{1, 1.5, 7}));
  EXPECT_EQ(values<std::int8_t>(all[5]), (std::vector<std::int8_t>{1, -1, 127, 0}));
  EXPECT_EQ(values<std::uint16_t>(all[6]), (std::vector<std::uint16_t>{1, 2, 3, 4}));
  EXPECT_EQ(values<std::uint64_t>(all[7]), (std::vector<std::uint64_t>{14}));
  EXPECT_EQ(values<std::uint32_t>(all[8]), (std::vector<std::uint32_t>{0x3f800000}));
  EXPECT_EQ(values<std::int64_t>(all[9]), (std::vector<std::int64_t>{-2, -1}));
}

TEST(Variables, HoldAddressesOfOthers) {
  const Module module = module_of(R"(.global .u32 a; .shared .u32 s;
.global .u64 p[4] = {a, generic(a)+8, 0, generic(s)};
.global .b8 packed[10] = {1, 0xFF(generic(a)), 0xFF00(generic(a)), 0xFF0000(generic(a)), 0xFF000000(generic(a)),
  0xFF00000000(generic(a)), 0xFF0000000000(generic(a)), 0xFF000000000000(generic(a)), 0xFF00000000000000(generic(a)), 2};
)");
  const Variable& p = module.variables[2];
  ASSERT_EQ(p.addresses.size(), 3u);
  EXPECT_EQ(p.addresses[0].offset, 0u);
  EXPECT_EQ(p.addresses[0].variable, 0u);
  EXPECT_FALSE(p.addresses[0].generic);
  EXPECT_EQ(p.addresses[1].offset, 8u);
  EXPECT_EQ(p.addresses[1].addend, 8);
  EXPECT_TRUE(p.addresses[1].generic);
  EXPECT_EQ(p.addresses[2].offset, 24u);
  EXPECT_EQ(p.addresses[2].variable, 1u);
  const Variable& packed = module.variables[3];
  ASSERT_EQ(packed.addresses.size(), 1u);
  EXPECT_EQ(packed.addresses[0].offset, 1u);
  EXPECT_TRUE(packed.addresses[0].generic);
  EXPECT_EQ(values<std::uint8_t>(packed), (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
}

TEST(Variables, AnExternOneIsTheOneThatIsDefined) {
  const Module module = module_of(".extern .global .u32 a; .global .u32 a = 3; .extern .global .u32 a;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(values<std::uint32_t>(module.variables[0]), (std::vector<std::uint32_t>{3}));
}

TEST(Variables, AHugeOneCostsNothingAndAHugeInitialOneIsRefused) {
  EXPECT_EQ(module_of(".global .b8 a[68719476736];").variables[0].bytes, std::uint64_t{1} << 36);
  EXPECT_THROW(module_of(".global .b8 a[68719476736] = {1};"), Unsupported);
  EXPECT_THROW(module_of(".global .b8 a[][1000000000] = {{1}, {1}};"), Unsupported);
  std::string many;
  for (int i = 0; i < 100; ++i) many += ".global .b8 a" + std::to_string(i) + "[1000000] = {1};";
  EXPECT_THROW(module_of(many), Unsupported);
}

}  // namespace
}  // namespace tilescope::ptx
