#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/matrix_fragments.hpp"
#include "profiler/execution/ptx/tests/memory_snippet.hpp"
#include "profiler/views/step/fragments.hpp"

/// Runs one matrix instruction in the interpreter, with registers filled at the places that its view says.
namespace tilescope::test_support {

using Words = std::vector<std::optional<LaneWords>>;

/// "{%r4, %r5}"
inline std::string list(int first, int count) {
  std::string text = "{";
  for (int r = 0; r < count; ++r) text += fmt::format("{}%r{}", r == 0 ? "" : ", ", first + r);
  return text + "}";
}

/// The registers of a matrix with these values, where the view says that they lie.
inline void pack(const FragmentView& view, std::size_t m, const ptx::Matrix& values, Words& words) {
  words.resize(view.registers.size());
  const FragmentMatrix& matrix = view.matrices[m];
  ASSERT_EQ(matrix.rows, values.rows);
  ASSERT_EQ(matrix.columns, values.columns);
  for (std::size_t r = 0; r < matrix.registers; ++r) words[matrix.first_register + r] = LaneWords{};
  for (int row = 0; row < matrix.rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) {
      const FragmentPlace& place = matrix.at(row, column);
      (*words[place.reg])[place.lane] |= ptx::encode(values.at(row, column), matrix.type)
                                         << (place.part * 32 / matrix.parts);
    }
  }
  for (std::size_t r = 0; r < view.registers.size(); ++r) {
    if (view.registers[r].matrix == m && view.registers[r].repeats)
      words[r] = words[*view.registers[r].repeats];
  }
}

/// A snippet that fills the registers that have words, each by the name that it has in the instruction, executes the
/// instruction and stores all registers.
inline ptx::MemorySnippet snippet_of(const FragmentView& view, const std::string& prologue,
                                     const std::string& instruction, const Words& words) {
  ptx::MemorySnippet snippet;
  snippet.body = "mul.wide.u32 %rd60, %t, 4; add.u64 %rd61, %rd60, %in; add.u64 %rd62, %rd60, %out;\n";
  std::vector<std::uint32_t> input;
  for (std::size_t r = 0; r < words.size(); ++r) {
    if (!words[r]) continue;
    snippet.body += fmt::format("ld.global.u32 {}, [%rd61+{}];\n", view.registers[r].name, 4 * input.size());
    input.insert(input.end(), words[r]->begin(), words[r]->end());
  }
  snippet.input = ptx::bytes_of(input);
  snippet.body += prologue + instruction + "\n";
  for (std::size_t r = 0; r < view.registers.size(); ++r)
    snippet.body += fmt::format("st.global.u32 [%rd62+{}], {};\n", 128 * r, view.registers[r].name);
  snippet.output_bytes = 128 * view.registers.size();
  return snippet;
}

inline Words registers_after(const FragmentView& view, const ptx::MemorySnippet& snippet) {
  const auto ran = snippet.run();
  EXPECT_FALSE(ran.result.fault) << ran.result.fault->text;
  Words words(view.registers.size());
  for (std::size_t r = 0; r < words.size(); ++r) {
    words[r] = LaneWords{};
    std::memcpy(words[r]->data(), ran.output.data() + 128 * r, 128);
  }
  return words;
}

}  // namespace tilescope::test_support
