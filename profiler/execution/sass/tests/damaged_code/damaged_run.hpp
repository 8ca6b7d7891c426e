#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/tests/damaged_code/code_damage.hpp"

namespace tilescope::damaged_code {

/// How a run of damaged code ended. Anything else, such as another exception, is a finding.
enum class End : std::uint8_t { finished, fault, refused_cubin, refused_text, unsupported, refused_launch };
inline constexpr std::size_t end_count = 6;
std::string_view name_of(End end);

struct DamagedRun {
  End end = End::finished;
  /// A sentence; "" for finished.
  std::string why;
};

/// Reads the cubin and the text, decodes the first kernel, and executes two blocks of it, counted and checked.
DamagedRun run_damaged(const std::vector<char>& cubin, const std::string& text);

/// Damages an intact cubin, its text, or both, and runs what came out.
DamagedRun damage_and_run(const std::vector<IntactCode>& codes, const Vocabulary& vocabulary,
                          Choices& choices);

}  // namespace tilescope::damaged_code
