#include "profiler/measure/files/launch_file.hpp"
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

std::vector<simt::KernelParameter> parameters(std::initializer_list<std::uint64_t> bytes) {
  std::vector<simt::KernelParameter> list;
  for (const std::uint64_t size : bytes) {
    simt::KernelParameter parameter;
    parameter.bytes = size;
    list.push_back(parameter);
  }
  return list;
}

std::string problems(const char* document, std::initializer_list<std::uint64_t> bytes) {
  try {
    read_launch_file(Json::parse(document), parameters(bytes));
  } catch (const LaunchFileError& error) {
    return error.what();
  }
  return "";
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(LaunchFile, ManyErrorsAreCut) {
  std::string values = "-1";
  for (int i = 1; i < 1000; ++i) values += ", -1";
  const std::string document =
      R"({"arguments": [{"type": "buffer", "element": "u8", "values": [)" + values + "]}]}";
  const std::string text = problems(document.c_str(), {8});
  EXPECT_EQ(std::ranges::count(text, '\n'), 20) << text;
  EXPECT_NE(text.find("... and 980 more errors"), std::string::npos) << text;
}

TEST(LaunchFile, NumbersThatAnElementDoesNotHoldAreRefused) {
  EXPECT_NE(problems(R"({"arguments": [{"type": "f32", "value": 1e39}]})", {4})
                .find("1e+39 is not a valid f32: it is too large"),
            std::string::npos);
  EXPECT_NE(problems(R"({"arguments": [{"type": "f16", "value": -70000}]})", {2})
                .find("is not a valid f16: it is too large"),
            std::string::npos);
  EXPECT_EQ(
      problems(R"({"arguments": [{"type": "f32", "value": 1e38}, {"type": "f32", "value": "inf"}]})", {4, 4}),
      "");
}

TEST(LaunchFile, HasSizesBuffersNumbersAndStructures) {
  const LaunchFile launch = read_launch_file(Json::parse(R"({
    "grid": [4, 2], "block": [32, 1, 3], "dynamic_shared_bytes": 512,
    "arguments": [{"type": "buffer", "element": "f32", "values": [1, 2.5, "0x7f800000"], "name": "x"},
                  {"type": "buffer", "element": "s16", "count": 3, "fill": -2},
                  {"type": "u32", "value": 3000000000},
                  {"type": "f64", "value": "-inf"},
                  {"type": "bytes", "values": [0, 255, 7]}]})"),
                                             parameters({8, 8, 4, 8, 3}));
  EXPECT_EQ(launch.grid, (simt::Dimensions{4, 2, 1}));
  EXPECT_EQ(launch.block, (simt::Dimensions{32, 1, 3}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 512u);
  ASSERT_EQ(launch.arguments.size(), 5u);
  ASSERT_EQ(launch.buffers.size(), 2u);
  const LaunchBuffer& x = launch.buffers[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.argument, 0u);
  EXPECT_EQ(values_of<float>(x.bytes.contents), (std::vector<float>{1, 2.5F, INFINITY}));
  const LaunchBuffer& filled = launch.buffers[1];
  EXPECT_EQ(filled.name, "argument 1");
  EXPECT_EQ(values_of<std::int16_t>(filled.bytes.contents), (std::vector<std::int16_t>{-2, -2, -2}));
  ASSERT_EQ(launch.arguments[1].addresses.size(), 1u);
  EXPECT_EQ(launch.arguments[1].addresses[0].buffer, 1u);
  const auto bytes = [&](std::size_t i) { return launch.arguments[i].contents; };
  EXPECT_EQ(values_of<std::uint32_t>(bytes(2)), (std::vector<std::uint32_t>{3000000000U}));
  EXPECT_EQ(values_of<double>(bytes(3)), (std::vector<double>{-INFINITY}));
  EXPECT_EQ(values_of<std::uint8_t>(bytes(4)), (std::vector<std::uint8_t>{0, 255, 7}));
}

TEST(LaunchFile, IsOneThreadWithoutArgumentsWhereNothingIsSaid) {
  const LaunchFile launch = read_launch_file(Json::object(), {});
  EXPECT_EQ(launch.grid.count() * launch.block.count(), 1u);
  EXPECT_TRUE(launch.arguments.empty());
}

TEST(LaunchFile, SaysAllThatIsWrongAtOnce) {
  EXPECT_EQ(
      problems(R"({
    "gird": [1], "grid": [1, 0], "block": [64, 32], "dynamic_shared_bytes": -4,
    "arguments": [{"type": "buffer", "element": "float", "values": [1]},
                  {"type": "buffer", "element": "u8", "values": [256, -1, "x", 1.5, 1]},
                  {"type": "buffer", "element": "u32", "values": [1], "count": 3},
                  {"type": "int", "value": 1},
                  {"type": "u32"},
                  {"type": "u64", "value": 1, "size": 2},
                  7]})",
               {8, 8, 8, 4, 4, 4, 4, 4}),
      R"("gird" is not known; known are grid, block, dynamic_shared_bytes, arguments, buffers, variables, numbers, reference, before, options
grid: [1,0] must be up to three whole numbers [x, y, z], at most [2147483647, 65535, 65535]
block: 2048 threads; a GPU takes at most 1024
"dynamic_shared_bytes" is -4; it must be a whole number from 0 to 232448
arguments: 7 given; the kernel takes 8
arguments[0]: "element" must be one of u8, s8, b8, u16, s16, b16, u32, s32, b32, u64, s64, b64, f16, bf16, f32, f64
arguments[1].values[0]: 256 is not a valid u8: it is too large
arguments[1].values[1]: -1 is not a valid u8: it is negative
arguments[1].values[2]: "x" is not a valid u8: a string holds bits, such as "0xff"
arguments[1].values[3]: 1.5 is not a valid u8: a whole number is expected
arguments[2]: a buffer has either "values", or a "count" with the "fill" of all its elements
arguments[3]: the type "int" is not known; known are buffer, address, struct, bytes, u8, s8, b8, u16, s16, b16, u32, s32, b32, u64, s64, b64, f16, bf16, f32, f64
arguments[4]: "value" is missing
arguments[5]: "size" is not known; known are type, value, values, offset, name
arguments[5]: a u64 has 8 B; the kernel's parameter 5 has 4 B
arguments[6]: must be an object with a "type": buffer, address, struct, bytes, or one of u8, s8, b8, u16, s16, b16, u32, s32, b32, u64, s64, b64, f16, bf16, f32, f64)");
}

TEST(LaunchFile, CountsAllBuffersBeforeItFillsThem) {
  const std::string both =
      problems(R"({"arguments": [{"type": "buffer", "element": "u32", "count": 4, "fill": 1},
    {"type": "buffer", "element": "u8", "count": 4294967296, "fill": 1}]})",
               {8, 8});
  EXPECT_EQ(both,
            "arguments[1]: with this one the buffers have 4294967312 B; together they may have at most "
            "4294967296 B");
  EXPECT_NE(
      problems(R"({"arguments": [{"type": "buffer", "element": "u64", "count": 18446744073709551615}]})", {8})
          .find("\"count\" is 18446744073709551615"),
      std::string::npos);
}

TEST(LaunchFile, SaysWhichParameterIsNoAddress) {
  EXPECT_EQ(problems(R"({"arguments": [{"type": "buffer", "element": "u8", "count": 1}]})", {4}),
            "arguments[0]: a buffer's address has 8 B; the kernel's parameter 0 has 4 B");
  EXPECT_EQ(problems("[]", {}), "the launch must be an object with \"arguments\"");
  EXPECT_EQ(problems(R"({"arguments": 3})", {}), "arguments: must be a list");
}

std::vector<std::uint64_t> addresses_of(const LaunchBytes& bytes) {
  std::vector<std::uint64_t> flat;
  for (const BufferAddress& address : bytes.addresses)
    flat.insert(flat.end(), {address.offset, address.buffer, address.plus_bytes});
  return flat;
}

TEST(LaunchFile, StructuresAreAlignedAsInCppAndHoldAddresses) {
  const LaunchFile launch = read_launch_file(Json::parse(R"({
    "arguments": [{"type": "struct", "members": [
      {"type": "u8", "value": 7},
      {"type": "buffer", "element": "f32", "values": [1, 2], "name": "x"},
      {"type": "struct", "members": [{"type": "s32", "values": [1, 2, 3]},
                                     {"type": "address", "of": "table", "plus_bytes": 8}]},
      {"type": "f32", "value": 2, "offset": 44}]}],
    "buffers": [{"name": "table", "element": "b64", "values": [{"of": "x", "plus_bytes": 4}, 0]}]})"),
                                             parameters({56}));
  ASSERT_EQ(launch.buffers.size(), 2u);
  EXPECT_EQ(launch.buffers[0].argument, 0u);
  EXPECT_EQ(launch.buffers[1].argument, std::nullopt);
  const LaunchBytes& whole = launch.arguments[0];
  ASSERT_EQ(whole.contents.size(), 56u);
  EXPECT_EQ(addresses_of(whole), (std::vector<std::uint64_t>{8, 0, 0, 32, 1, 8}));
  EXPECT_EQ(addresses_of(launch.buffers[1].bytes), (std::vector<std::uint64_t>{0, 0, 4}));
  const auto words = values_of<std::uint32_t>(whole.contents);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{7, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0x40000000, 0, 0}));
}

TEST(LaunchFile, ProblemsOfStructuresNameTheirPlace) {
  EXPECT_EQ(problems(R"({"arguments": [{"type": "struct", "members": [
      {"type": "u64", "value": 1}, {"type": "u32", "value": 1, "offset": 4},
      {"type": "address", "of": "y"}, {"type": "address"}, 3,
      {"type": "struct", "members": []}]}],
      "buffers": [{"element": "u8"}], "variables": {"w": {"element": "f32", "values": [{"of": "y"}]}}})",
                     {8}),
            R"(arguments[0].members[1]: begins at 4 B, where the members before it end at 8 B
arguments[0].members[3]: "of" is missing: the name of a buffer
arguments[0].members[4]: must be an object with a "type": buffer, address, struct, bytes, or one of u8, s8, b8, u16, s16, b16, u32, s32, b32, u64, s64, b64, f16, bf16, f32, f64
arguments[0].members[5]: "members" must be a list that is not empty
arguments[0]: the members take 16 B of a structure of 8 B
arguments[0]: a struct has 16 B; the kernel's parameter 0 has 8 B
buffers[0]: must be an object with a "name"
variables.w.values[0]: an address has 8 B, and an element of f32 has 4
arguments[0].members[2]: there is no buffer with the name "y")");
}

TEST(LaunchFile, PointersThatTritonAddsAreNamed) {
  const std::string text = problems(R"({"arguments": [{"type": "u32", "value": 1}]})", {4, 8, 8});
  EXPECT_NE(text.find("1 given; the kernel takes 3. Behind a kernel's own parameters Triton adds pointers"),
            std::string::npos)
      << text;
  EXPECT_EQ(problems(R"({"arguments": []})", {4}), "arguments: 0 given; the kernel takes 1");
}

struct RoundTrip {
  const char* element;
  Json value;
  std::uint64_t bits;
};
TEST(Elements, AreReadAndWrittenAlike) {
  for (const auto& [name, value, bits] :
       std::vector<RoundTrip>{{"u64", std::uint64_t{0xffffffffffffffff}, 0xffffffffffffffff},
                              {"s64", INT64_MIN, 0x8000000000000000},
                              {"s8", -128, 0x80},
                              {"b16", "0x00ff", 0xff},
                              {"f16", 1.5, 0x3e00},
                              {"f16", "-inf", 0xfc00},
                              {"bf16", -2.0, 0xc000},
                              {"f32", 0.1, 0x3dcccccd},
                              {"f64", 0.1, 0x3fb999999999999a},
                              {"f32", "nan", 0x7fc00000}}) {
    const Element element = *element_named(name);
    EXPECT_EQ(bits_of(value, element), bits) << name;
    EXPECT_EQ(to_line(value_of(bits, element)), to_line(value)) << name;
  }
  EXPECT_FALSE(element_named("f8"));
  EXPECT_THROW(bits_of(-129, *element_named("s8")), std::invalid_argument);
  EXPECT_THROW(bits_of("0x100", *element_named("b8")), std::invalid_argument);
  EXPECT_THROW(bits_of("0x", *element_named("b8")), std::invalid_argument);
  EXPECT_THROW(bits_of(true, *element_named("u8")), std::invalid_argument);
}

}  // namespace
}  // namespace tilescope
