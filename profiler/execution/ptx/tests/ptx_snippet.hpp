#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <ios>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Executes one form of an instruction in many lanes at once and compares with the results that a test expects.
namespace tilescope::ptx {

/// `bytes` of a value: 2, 4 or 8, or 0 for a predicate.
struct SnippetColumn {
  int bytes = 4;
  /// One a thread, at most 1024.
  std::vector<std::uint64_t> values;
};

/// The contents of registers that were not written.
inline constexpr std::uint64_t snippet_poison = 0xa5a5a5a5a5a5a5a5u;

/// Runs `form` with its sources %a, %b, %c, %e in the threads of one block whose guard is set; the others branch around
/// it. The result %d is poisoned before (false for a predicate). %x and %y are 32-bit registers, %p and %q predicates
/// to use. Runs on every vector target of this machine. Throws std::runtime_error when their results differ, or on a
/// fault.
std::vector<std::uint64_t> run_snippet(const std::string& form, int result_bytes,
                                       const std::vector<SnippetColumn>& sources,
                                       const std::vector<bool>& guard);

template <class T>
constexpr int snippet_bytes = std::is_same_v<T, bool> ? 0 : static_cast<int>(sizeof(T));

template <class T>
std::uint64_t snippet_bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}
template <class T>
T snippet_value(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return static_cast<T>(bits);
  }
}

/// All combinations of the sources' values, one column per source.
std::vector<SnippetColumn> all_combinations(const std::vector<SnippetColumn>& values);
/// The columns, cut into blocks of at most 1024 threads.
std::vector<std::vector<SnippetColumn>> in_blocks(const std::vector<SnippetColumn>& columns);

template <class T>
SnippetColumn column_of(const std::vector<T>& values) {
  SnippetColumn column{snippet_bytes<T>, {}};
  for (const T value : values) column.values.push_back(snippet_bits(value));
  return column;
}

/// Calls `check(bits of the result, bits of the sources)` for every combination of the sources' values, run in all
/// lanes and then in about half of them; the other lanes must not change.
template <class Check>
void for_each_result(const std::string& form, int result_bytes, const std::vector<SnippetColumn>& values,
                     const Check& check) {
  SCOPED_TRACE(form);
  for (const std::vector<SnippetColumn>& block : in_blocks(all_combinations(values))) {
    const std::size_t count = block.at(0).values.size();
    for (const bool partial : {false, true}) {
      std::vector<bool> guard(count);
      for (std::size_t k = 0; k < count; ++k) guard[k] = !partial || (k * 2654435761u >> 13 & 1u) != 0;
      const std::vector<std::uint64_t> results = run_snippet(form, result_bytes, block, guard);
      const std::uint64_t untouched = result_bytes == 8
                                          ? snippet_poison
                                          : snippet_poison & ((std::uint64_t{1} << (8 * result_bytes)) - 1);
      for (std::size_t k = 0; k < count; ++k) {
        if (!guard[k]) {
          ASSERT_EQ(results[k], untouched) << "thread " << k << " is off";
          continue;
        }
        std::vector<std::uint64_t> bits;
        bits.reserve(block.size());
        for (const SnippetColumn& column : block) bits.push_back(column.values[k]);
        check(results[k], bits);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

std::string describe(const std::vector<std::uint64_t>& sources);

template <class... Source, class Expected, std::size_t... index>
auto expected_of(Expected expected, const std::vector<std::uint64_t>& bits, std::index_sequence<index...>) {
  return expected(snippet_value<Source>(bits.at(index))...);
}

/// Expects that the form returns `expected(a)`, `expected(a, b)`, ... bit for bit, also for NaN.
template <class Result, class... Source, class Expected>
void expect_form(const std::string& form, Expected expected, const std::vector<Source>&... values) {
  for_each_result(form, snippet_bytes<Result>, {column_of(values)...},
                  [&](std::uint64_t got, const std::vector<std::uint64_t>& bits) {
                    const Result wanted =
                        expected_of<Source...>(expected, bits, std::index_sequence_for<Source...>{});
                    ASSERT_EQ(got, snippet_bits(wanted)) << std::hex << "0x" << got << " is not 0x"
                                                         << snippet_bits(wanted) << " for " << describe(bits);
                  });
}

}  // namespace tilescope::ptx
