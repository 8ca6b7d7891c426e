#include "profiler/views/memory/block_text.hpp"

#include <fmt/format.h>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

std::string count(std::uint64_t number) {
  return format_count(static_cast<std::int64_t>(number));
}

// "st.global of O, line 210"
std::string name_of_access(const RecordedSite& site) {
  const std::string tile = site.tile.empty() ? "" : " of " + site.tile;
  return fmt::format("{}{}, {}", site.operation, tile,
                     site.line != 0 ? fmt::format("line {}", site.line) : code_place_words(site));
}

// Why the recording was cut off, and how to get the rest.
std::string why_cut_off(const BlockRecording& recording, std::uint64_t block) {
  if (!recording.truncated)
    return fmt::format("Block {} ended early: {}", count(block), recording.findings[0].text);
  return fmt::format(
      "Block {} may make it later: only the first {} of its {} accesses were traced. A smaller shape makes "
      "fewer.",
      count(block), count(recording.accesses.size()), count(recording.matching));
}

}  // namespace

std::string block_place_words(std::uint64_t block, const std::array<std::uint64_t, 3>& grid) {
  const std::uint64_t row = block / grid[0];
  return "of " + format_count(static_cast<std::int64_t>(grid[0] * grid[1] * grid[2])) + ": x " +
         std::to_string(block % grid[0]) + ", y " + std::to_string(row % grid[1]) + ", z " +
         std::to_string(row / grid[1]);
}

std::string beyond_words(const char* whole, const char* part, std::uint64_t entered, std::uint64_t count) {
  if (entered < count) return "";
  const std::string last = format_count(static_cast<std::int64_t>(count - 1));
  return fmt::format("The {} has no {} {}: the last one is {}, which is shown.", whole, part,
                     format_count(static_cast<std::int64_t>(entered)), last);
}

std::vector<std::string> recording_notes(const BlockRecording& recording) {
  std::vector<std::string> notes;
  if (recording.truncated) {
    notes.push_back(
        fmt::format("Only the first {} of {} accesses of this block are shown. A smaller shape makes fewer.",
                    count(recording.accesses.size()), count(recording.matching)));
  }
  for (const Finding& finding : recording.findings) notes.push_back("The block ended early: " + finding.text);
  return notes;
}

bool is_cut_off(const BlockRecording& recording) {
  return recording.truncated || !recording.findings.empty();
}

MissingAccess missing_access(const BlockRecording& recording, std::uint64_t block,
                             const std::optional<RecordedSite>& site, std::uint32_t line) {
  if (recording.sites.empty() && !is_cut_off(recording)) {
    return {"No memory access",
            fmt::format("Block {} accesses neither shared nor global memory. Choose another block.",
                        count(block))};
  }
  if (is_cut_off(recording)) {
    return {site ? "Not in the traced part: " + name_of_access(*site)
                 : fmt::format("No access on line {} in the traced part", line),
            why_cut_off(recording, block)};
  }
  if (site) {
    return {"Not executed: " + name_of_access(*site),
            fmt::format("Block {} does not make this access in this configuration. Choose another access or "
                        "another block.",
                        count(block))};
  }
  return {fmt::format("No access on line {}", line),
          fmt::format("Block {} makes no access to shared or global memory there. Choose another line or "
                      "another block.",
                      count(block))};
}

}  // namespace tilescope
