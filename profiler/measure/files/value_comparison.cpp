#include "profiler/measure/files/value_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilescope {
namespace {

std::uint64_t bits_at(std::string_view bytes, std::uint64_t index, std::size_t width) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width, width);
  return bits;
}

// The expected value of each element.
class Expectation {
 public:
  Expectation(const TypedContents& buffer, const ExpectedValues& expected, const TypedContents& reference)
      : element_(expected.buffer ? reference.element : buffer.element),
        bytes_(expected.buffer ? reference.bytes
                               : std::string_view(reinterpret_cast<const char*>(expected.values.data()),
                                                  expected.values.size())),
        is_one_for_all_(!expected.buffer && expected.values.size() == element_.bytes) {}

  const Element& element() const { return element_; }
  std::uint64_t bits(std::uint64_t i) const {
    return bits_at(bytes_, is_one_for_all_ ? 0 : i, element_.bytes);
  }

 private:
  Element element_;
  std::string_view bytes_;
  bool is_one_for_all_;
};

// Fills in the difference and what is allowed. True where the value is right.
bool judge(ElementDifference& one, const Element& element, const Element& expected_element,
           const Tolerance& tolerance, double scale) {
  const bool is_one_type = element.name == expected_element.name;
  if (is_one_type && one.value == one.expected) return true;
  if (element.kind == Element::Kind::bits) return false;
  const long double value = number_of(one.value, element);
  const long double expected = number_of(one.expected, expected_element);
  one.allowed = tolerance.absolute;
  if (std::isfinite(expected))
    one.allowed += tolerance.relative * std::max(static_cast<double>(std::fabs(expected)), scale);
  if (value == expected || (std::isnan(value) && std::isnan(expected))) return true;
  one.difference = std::isfinite(value) && std::isfinite(expected)
                       ? static_cast<double>(std::fabs(value - expected))
                       : std::numeric_limits<double>::infinity();
  return std::isfinite(one.difference) && one.difference <= one.allowed;
}

}  // namespace

bool has_values(const TypedContents& buffer, const ExpectedValues& expected, const std::vector<bool>& only) {
  const Expectation expectation(buffer, expected, {});
  for (std::uint64_t i = 0; i < expected.count; ++i) {
    if (!only.empty() && !only[expected.first + i]) continue;
    ElementDifference one{expected.first + i, bits_at(buffer.bytes, expected.first + i, buffer.element.bytes),
                          expectation.bits(i)};
    const double scale = expected.scales.empty() ? 0 : expected.scales[i];
    if (!judge(one, buffer.element, expectation.element(), expected.tolerance, scale)) return false;
  }
  return true;
}

ValueComparison compare_values(const TypedContents& buffer, const ExpectedValues& expected,
                               const TypedContents& reference, const std::vector<bool>& only) {
  const Expectation expectation(buffer, expected, reference);
  ValueComparison result;
  std::size_t next_any = 0;
  for (std::uint64_t i = 0; i < expected.count; ++i) {
    if (next_any < expected.any.size() && expected.any[next_any] == i) {
      ++next_any;
      continue;
    }
    if (!only.empty() && !only[expected.first + i]) continue;
    ++result.compared;
    ElementDifference one{expected.first + i, bits_at(buffer.bytes, expected.first + i, buffer.element.bytes),
                          expectation.bits(i)};
    const double scale = expected.scales.empty() ? 0 : expected.scales[i];
    const bool is_right = judge(one, buffer.element, expectation.element(), expected.tolerance, scale);
    if (!is_right) {
      if (result.wrong++ == 0) {
        result.first = one;
        result.largest.reset();
        result.is_wrong.resize(expected.count);
      }
      result.is_wrong[i] = true;
    } else if (result.wrong > 0 || one.difference == 0) {
      continue;
    }
    if (!result.largest || one.difference > result.largest->difference) result.largest = one;
  }
  return result;
}

}  // namespace tilescope
