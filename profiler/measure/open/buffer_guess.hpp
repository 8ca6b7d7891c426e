#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {

/// The user's choice for a buffer; nullptr where nothing is chosen.
struct BufferChoice {
  const std::string* elements = nullptr;
  const std::string* fill = nullptr;
};

/// A buffer as large as what was touched of it, filled for what its type and name say. Adds what was guessed. Throws
/// std::invalid_argument for a choice that is none.
GuessedBuffer guess_buffer(const KnownParameter& parameter, const TouchedRegion& touched,
                           const BufferChoice& choice, std::vector<LaunchGuess>& guesses);

/// A sentence where buffers of these bytes together are not run, with the largest one; "" where they are.
std::string why_too_large(const GuessedLaunch& launch, std::uint64_t total_bytes);

}  // namespace tilescope
