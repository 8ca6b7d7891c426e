#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {

/// An element after a launch, and what was expected of it.
struct ElementDifference {
  /// In its buffer.
  std::uint64_t index = 0;
  std::uint64_t value = 0, expected = 0;
  /// |value - expected|: infinite where one of them is, or is a NaN; of bits 0.
  double difference = 0;
  /// The most that it may be.
  double allowed = 0;
};

/// A buffer after a launch, compared with the values that were expected.
struct ValueComparison {
  /// Elements that have an expected value, and how many of these differ by more than the tolerance.
  std::uint64_t compared = 0, wrong = 0;
  std::optional<ElementDifference> first;
  /// The wrong one that differs the most; where none is wrong, the right one that does, if it differs at all.
  std::optional<ElementDifference> largest;
  /// By index from ExpectedValues::first; empty where none is wrong.
  std::vector<bool> is_wrong;
};

/// Elements and their type.
struct TypedContents {
  std::string_view bytes;
  Element element;
};

/// `buffer`: after the launch. `reference`: the buffer that ExpectedValues::buffer names, else unused. NaN is right where
/// NaN is expected, and infinity where that infinity is. `only`: by element of the buffer, those to compare; empty for all.
ValueComparison compare_values(const TypedContents& buffer, const ExpectedValues& expected,
                               const TypedContents& reference, const std::vector<bool>& only = {});

/// Whether all elements that have an expected value have it.
bool has_values(const TypedContents& buffer, const ExpectedValues& expected,
                const std::vector<bool>& only = {});

}  // namespace tilescope
