#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {

/// All that a buffer is guessed from.
struct BufferSources {
  const TouchedRegion& touched;
  /// The numbers of the launch, by parameter: a size that they give is nearer than what some blocks touch.
  const std::vector<std::optional<double>>& numbers;
  std::uint64_t threads_of_block = 1;
  /// As the host code allocates it.
  std::optional<WrittenBuffer> written{};
  /// The user's choice; nullptr where nothing is chosen.
  const std::string* elements = nullptr;
  const std::string* fill = nullptr;
};

/// A buffer of the size that the user or the host code gives, else as large as what was touched of it, filled for what its
/// type and name say. Adds what was guessed. Throws std::invalid_argument for a choice that is none.
GuessedBuffer guess_buffer(const KnownParameter& parameter, const BufferSources& sources,
                           std::vector<LaunchGuess>& guesses);

/// A sentence where buffers of these bytes together are not run, with the largest one; "" where they are.
std::string why_too_large(const GuessedLaunch& launch, std::uint64_t total_bytes);

}  // namespace tilescope
