#pragma once

#include <memory>
#include <string>

#include "app/explorer/memory/recorded_block.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

class Explorer;

/// Asks for a trace of the configuration under the sliders, or with the tag block_of_file of the opened file's kernel, in
/// every frame that shows it. Returns nullptr before there is one, after drawing what is missing and how to get it.
std::shared_ptr<const RecordedBlock> recorded_block_or_reason(Explorer& explorer,
                                                              const std::string& tag = "");

/// One line: which block of the grid is traced, with buttons and a field to choose another one, and whether a newer trace
/// runs; below it what the trace lacks, and that a number was entered that the grid does not have. Returns whether anything
/// stands below the line. Marks "block.previous", "block.next", "block.number" and "block.beyond".
bool recorded_block_header(Explorer& explorer, const RecordedBlock& recorded, const std::string& tag = "");

}  // namespace tilescope
