#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"

namespace tilescope {

/// "of 128: x 4, y 1, z 0", for the block with this linear index.
std::string block_place_words(std::uint64_t block, const std::array<std::uint64_t, 3>& grid);

/// A sentence on a number that was entered and is not there: "The grid has no block 500: the last one is 127, which is
/// shown."; "" for one that is.
std::string beyond_words(const char* whole, const char* part, std::uint64_t entered, std::uint64_t count);

/// Sentences on what the recording of a block lacks: accesses beyond its limit, and those after a fault.
std::vector<std::string> recording_notes(const BlockRecording& recording);
/// Whether it lacks accesses that the block makes, or was to make.
bool is_cut_off(const BlockRecording& recording);

/// A heading and a sentence for an access that was chosen and that the recording of a block does not have.
struct MissingAccess {
  std::string heading, text;
};
/// `site` is none where a line alone was chosen.
MissingAccess missing_access(const BlockRecording& recording, std::uint64_t block,
                             const std::optional<RecordedSite>& site, std::uint32_t line);

}  // namespace tilescope
