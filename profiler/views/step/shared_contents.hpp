#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/views/memory/bank_grid.hpp"

/// Contents of a stepped block's shared memory at the play head.
namespace tilescope {

/// By word of 4 B.
struct SharedContents {
  /// None for a word that nothing has written yet.
  std::vector<std::optional<std::uint32_t>> words;
  /// Words that were written or overwritten with another value since the stop before.
  std::vector<bool> changed;
  std::size_t changes = 0, unwritten = 0;
  /// Type of numbers of 2 B.
  reference::Format format = reference::Format::fp16;
  std::vector<TileStop> tiles;
};
/// `before` are the words of the stop before; empty without one, where nothing counts as changed.
SharedContents shared_contents(const StepStop& stop, const std::vector<std::optional<std::uint32_t>>& before,
                               reference::Format format);

/// Whether the arrays of a file's stepped PTX lie where the grid has them: each that both name, and some that are the same
/// where there are any.
bool lie_as_stepped(const BankGrid& grid, const std::vector<ArrayStop>& arrays);

enum class WordState : std::int32_t { unwritten, written, changed };

/// Boxes as BankGrid::boxes makes them. Their look is BankGrid::outside, BankGrid::unused, or content_look(): a cell of
/// several words has the part and the state of the one that changed, else of one that is written.
std::vector<BankGridBox> contents_boxes(const BankGrid& grid, const SharedContents& contents,
                                        std::int64_t first_row, std::int64_t end_row,
                                        std::int64_t rows_per_line);
std::int32_t content_look(const BankGrid& grid, const SharedContents& contents, std::int64_t word);
WordState state_of_look(std::int32_t look);
/// Into BankGrid::parts(); none for a word that was written where no part is.
std::optional<std::size_t> part_of_content(const BankGrid& grid, std::int32_t look);

/// Text of a cell that has room for it: "0.51 -1.20" for two numbers of 2 B, "3.0625" for one of 4 B,
/// hexadecimal where the elements are not declared, "" before a word is written.
std::string content_text(const BankGrid& grid, const SharedContents& contents, std::int64_t word);
/// For the middle of a part: "K 0: K 64 to 127"; "" where another part covers it.
std::string content_name(const BankGrid& grid, const SharedContents& contents, std::size_t part);
/// For a tooltip: the value under the mouse, and the row of Q, K or V that was found there.
std::vector<TextPair> content_details(const BankGrid& grid, const SharedContents& contents,
                                      std::int64_t byte);
/// "K 128 to 191" for rows that follow each other, "unwritten (4 rows)", "written" for other contents than rows of Q, K
/// or V.
std::string contents_words(const TileStop& tile);
/// "Q 0", "unwritten", "written"
std::string row_words(const TileRowStop& row);

}  // namespace tilescope
