#include "profiler/measure/files/value_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/measure/files/tests/npy_bytes.hpp"

namespace tilescope {
namespace {

using test_support::items_of;

template <class T>
ValueComparison compare(const char* element, const std::vector<T>& values, const std::vector<T>& wanted,
                        Tolerance tolerance = {}) {
  ExpectedValues expected;
  expected.count = values.size();
  expected.tolerance = tolerance;
  expected.values.resize(wanted.size() * sizeof(T));
  std::memcpy(expected.values.data(), wanted.data(), expected.values.size());
  const std::string bytes = items_of(values);
  return compare_values({bytes, *element_named(element)}, expected, {});
}

TEST(ValueComparison, WholeNumbersAreComparedExactly) {
  EXPECT_EQ(compare<std::int32_t>("s32", {1, -2, 3}, {1, -2, 3}).wrong, 0u);
  const ValueComparison wrong = compare<std::int32_t>("s32", {1, -2, 3, 9}, {1, -1, 3, 0});
  EXPECT_EQ(wrong.wrong, 2u);
  EXPECT_EQ(wrong.first->index, 1u);
  EXPECT_EQ(wrong.first->difference, 1);
  EXPECT_EQ(wrong.largest->index, 3u);
  EXPECT_EQ(wrong.is_wrong, (std::vector<bool>{false, true, false, true}));
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(compare<std::uint64_t>("u64", {most, most - 1}, {most, most}).wrong, 1u)
      << "a double does not tell them apart";
  EXPECT_EQ(compare<std::uint64_t>("u64", {most, most - 1}, {most, most}, {1, 0}).wrong, 0u);
  EXPECT_EQ(compare<std::uint32_t>("b32", {1}, {2}).first->difference, 0);
}

TEST(ValueComparison, TheToleranceIsAbsoluteAndRelative) {
  const std::vector<float> values = {100.5F, 0.001F};
  EXPECT_EQ(compare<float>("f32", values, {100, 0}).wrong, 2u);
  EXPECT_EQ(compare<float>("f32", values, {100, 0}, {0.5, 0}).wrong, 0u);
  EXPECT_EQ(compare<float>("f32", values, {100, 0}, {0, 0.006}).wrong, 1u) << "nothing is relative to 0";
  EXPECT_EQ(compare<float>("f32", values, {100, 0}, {0.001F, 0.006}).wrong, 0u);
  const ValueComparison right = compare<float>("f32", values, {100, 0}, {1, 0});
  EXPECT_FALSE(right.first);
  EXPECT_EQ(right.largest->index, 0u);
  EXPECT_EQ(right.largest->difference, 0.5);
}

TEST(ValueComparison, NanAndInfinityAreRightOnlyWhereTheyAreExpected) {
  const Tolerance wide = {1e30, 1e30};
  EXPECT_EQ(compare<float>("f32", {NAN, INFINITY, -0.0F}, {-NAN, INFINITY, 0}).wrong, 0u);
  EXPECT_EQ(
      compare<float>("f32", {NAN, INFINITY, -INFINITY, 1, 1}, {0, 1, INFINITY, NAN, INFINITY}, wide).wrong,
      5u);
  const ValueComparison wrong = compare<float>("f32", {5, NAN}, {0, 0});
  EXPECT_EQ(wrong.largest->index, 1u) << "a NaN differs the most";
}

TEST(ValueComparison, OneValueMayBeForAllAndSomeMayBeAny) {
  EXPECT_EQ(compare<std::uint8_t>("u8", {7, 7, 8}, {7}).wrong, 1u);
  ExpectedValues expected;
  expected.first = 1;
  expected.count = 3;
  expected.values = {std::byte{1}, std::byte{0}, std::byte{3}};
  expected.any = {1};
  const std::string bytes = {9, 1, 77, 4};
  const ValueComparison part = compare_values({bytes, *element_named("u8")}, expected, {});
  EXPECT_EQ(part.compared, 2u);
  EXPECT_EQ(part.wrong, 1u);
  EXPECT_EQ(part.first->index, 3u) << "counted from the buffer's beginning";
}

TEST(ValueComparison, AReferenceMayHaveAWiderType) {
  ExpectedValues expected;
  expected.count = 2;
  expected.buffer = 1;
  expected.tolerance = {0, 1e-3};
  const std::string half = items_of<std::uint16_t>({0x2e66, 0x3c00});
  const std::string wide = items_of<double>({0.1, 1.5});
  const ValueComparison found =
      compare_values({half, *element_named("f16")}, expected, {wide, *element_named("f64")});
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.first->index, 1u);
  EXPECT_EQ(found.first->difference, 0.5);
}

}  // namespace
}  // namespace tilescope
