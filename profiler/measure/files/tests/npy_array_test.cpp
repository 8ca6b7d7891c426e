#include "profiler/measure/files/npy_array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "profiler/measure/files/npy_file.hpp"
#include "profiler/measure/files/tests/npy_bytes.hpp"

namespace tilescope {
namespace {

using test_support::items_of;
using test_support::npy_bytes;
using test_support::npy_of;

template <class T>
std::vector<T> elements(const std::string& file, const char* element) {
  const std::vector<std::byte> bytes = NpyArray(file).elements(*element_named(element));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string refusal(const std::string& file, const char* element = "f32") {
  try {
    elements<char>(file, element);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NpyArray, HasTheShapeAndTheItems) {
  const std::string file = npy_bytes("<f4", "(2, 3)", items_of<float>({1, 2, 3, 4, 5, 6}));
  const NpyArray array(file);
  EXPECT_EQ(array.shape(), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(array.count(), 6u);
  EXPECT_EQ(array.description(), "float32 of shape (2, 3)");
  EXPECT_EQ(elements<float>(file, "f32"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const std::string scalar = npy_bytes("<f8", "()", items_of<double>({2.5}));
  EXPECT_EQ(NpyArray(scalar).count(), 1u);
  EXPECT_EQ(elements<double>(scalar, "f64"), (std::vector<double>{2.5}));
}

TEST(NpyArray, RoundsNumbersToAFloatingPointElement) {
  const std::string wide = npy_of<double>("<f8", {0.1, -1, INFINITY});
  EXPECT_EQ(elements<float>(wide, "f32"), (std::vector<float>{0.1F, -1, INFINITY}));
  EXPECT_EQ(elements<std::uint16_t>(wide, "f16"), (std::vector<std::uint16_t>{0x2e66, 0xbc00, 0x7c00}));
  EXPECT_EQ(elements<std::uint16_t>(wide, "bf16"), (std::vector<std::uint16_t>{0x3dcd, 0xbf80, 0x7f80}));
  EXPECT_TRUE(std::isnan(elements<float>(npy_of<double>("<f8", {NAN}), "f32")[0]));
  EXPECT_EQ(elements<float>(npy_of<std::uint16_t>("<f2", {0x3c00}), "f32"), (std::vector<float>{1}));
  EXPECT_EQ(elements<float>(npy_of<std::int32_t>("<i4", {-7}), "f32"), (std::vector<float>{-7}));
  EXPECT_EQ(elements<std::uint16_t>(npy_of<std::uint16_t>("|V2", {0x3f80}), "bf16"),
            (std::vector<std::uint16_t>{0x3f80}));
}

TEST(NpyArray, TakesIntegersOfAnyWidthThatFit) {
  EXPECT_EQ(elements<std::int32_t>(npy_of<std::int64_t>("<i8", {-5, 6}), "s32"),
            (std::vector<std::int32_t>{-5, 6}));
  EXPECT_EQ(elements<std::uint8_t>(npy_of<std::uint8_t>("|b1", {0, 1}), "u8"),
            (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(elements<std::uint32_t>(npy_of<float>("<f4", {1}), "b32"),
            (std::vector<std::uint32_t>{0x3f800000}));
  const std::string big = npy_bytes(">i4", "(1,)", std::string("\x00\x00\x01\x02", 4));
  EXPECT_EQ(elements<std::int32_t>(big, "s32"), (std::vector<std::int32_t>{0x102}));
}

TEST(NpyArray, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal(npy_of<double>("<f8", {1, 1e39})), "item 1: 1e+39 is not a valid f32: it is too large");
  EXPECT_EQ(refusal(npy_of<std::int64_t>("<i8", {-1}), "u32"),
            "item 0: -1 is not a valid u32: it is negative");
  EXPECT_EQ(refusal(npy_of<double>("<f8", {1}), "s32"),
            "it holds float64 of shape (1,), and the elements are s32: save a.astype(numpy.int32)");
  EXPECT_EQ(refusal(npy_of<std::uint16_t>("<u2", {1}), "bf16"),
            "it holds uint16 of shape (1,), and the elements are bf16: save a.astype(numpy.float32)");
  EXPECT_EQ(refusal(npy_of<double>("<f8", {1}), "b32"),
            "it holds float64 of shape (1,), and an element of b32 has 4 B: save items of that size");
}

TEST(NpyArray, DamagedFilesAreRefused) {
  const std::string file = npy_of<float>("<f4", {1, 2});
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(refusal(file.substr(0, length)), "") << length;
  EXPECT_EQ(refusal("not an array"), "it is not a .npy file: save it again with numpy.save()");
  EXPECT_EQ(refusal(npy_bytes("<f4", "(2, 2)", items_of<float>({1, 2, 3, 4}), true)),
            "it is in Fortran order: save numpy.ascontiguousarray(a)");
  EXPECT_EQ(refusal(npy_bytes("<c8", "(1,)", std::string(8, '\0'))),
            "its type '<c8' is not one of a buffer: save floats, integers or booleans of at most 8 B");
  for (const char* shape : {"(4294967296, 4294967296)", "(18446744073709551616,)", "2", "(x,)", "(1"})
    EXPECT_NE(refusal(npy_bytes("<f4", shape, "")), "") << shape;
}

TEST(NpyFile, IsReadAsItWasWritten) {
  for (const char* name : {"f16", "f32", "f64", "s8", "u16", "s32", "u64"}) {
    const Element element = *element_named(name);
    const std::string contents = items_of(std::vector<std::uint8_t>(6 * element.bytes, 1));
    const std::string file = npy_file(element, {2, 3}, contents);
    const NpyArray array(file);
    EXPECT_EQ(array.shape(), (std::vector<std::uint64_t>{2, 3})) << name;
    EXPECT_EQ(items_of(elements<std::uint8_t>(file, name)), contents) << name;
    EXPECT_EQ((file.size() - contents.size()) % 64, 0u) << "numpy.load() may map the items: " << name;
  }
}

TEST(NpyFile, HasBf16AsFloat32) {
  const std::string file =
      npy_file(*element_named("bf16"), {2}, items_of(std::vector<std::uint16_t>{0x3fc0, 0xc000}));
  EXPECT_EQ(elements<float>(file, "f32"), (std::vector<float>{1.5F, -2}));
}

}  // namespace
}  // namespace tilescope
