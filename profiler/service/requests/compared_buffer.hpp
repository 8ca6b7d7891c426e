#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// The access that wrote an element last.
struct ValueWriter {
  /// "line 12 (put, called at line 20)"
  std::string place;
  /// In the kernel's own file; 0: unknown.
  std::int64_t line = 0;
  std::array<std::uint32_t, 3> block{};
  /// Linear index in its block.
  std::uint32_t thread = 0;
  /// A read-modify-write, which may have left the value as it was.
  bool is_atomic = false;
  /// Blocks that wrote the element: where there are several and nothing orders them, any may be the last.
  std::uint64_t blocks = 1;

  bool operator==(const ValueWriter&) const = default;
};

/// An element of a buffer whose values were expected.
struct ComparedElement {
  std::uint64_t index = 0;
  /// The index in each dimension of the buffer's shape; empty without a shape of several dimensions.
  std::vector<std::uint64_t> position;
  /// JSON: a number, "nan", "0x0f".
  std::string value, expected;
  /// None for bits, and where one value is a NaN or infinite.
  std::optional<double> difference;
  /// None where nothing wrote it, or where ComparedBuffer::unwritten is unknown.
  std::optional<ValueWriter> writer;

  bool operator==(const ComparedElement&) const = default;
};

/// A buffer after a launch, compared with what was expected.
struct ComparedBuffer {
  /// The index into LaunchedPoint::buffers.
  std::uint64_t buffer = 0;
  std::string name;
  /// Elements that have an expected value, and how many of these differ by more than the tolerance.
  std::uint64_t elements = 0, wrong = 0;
  /// The wrong ones that nothing wrote; none where that is unknown.
  std::optional<std::uint64_t> unwritten;
  /// The formula that gave the values; "" where they were given.
  std::string formula;
  /// The kernel that left the values there, as C++ writes it; "" for none.
  std::string reference;
  /// A value may differ by absolute_tolerance + relative_tolerance * |expected|; where a formula gave it, by what
  /// relative_tolerance is of the sum of the magnitudes of its terms.
  double absolute_tolerance = 0, relative_tolerance = 0;
  /// The first wrong one.
  std::optional<ComparedElement> first;
  /// The wrong one that differs the most; where none is wrong, the right one that does, if it differs at all.
  std::optional<ComparedElement> largest;

  bool operator==(const ComparedBuffer&) const = default;
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const ValueWriter& writer);
void from_json(const Json& json, ValueWriter& writer);
void to_json(Json& json, const ComparedElement& element);
void from_json(const Json& json, ComparedElement& element);
void to_json(Json& json, const ComparedBuffer& buffer);
void from_json(const Json& json, ComparedBuffer& buffer);

}  // namespace tilescope
