#pragma once

#include <map>
#include <string>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {

/// Whether the text of a source has the last size of an array where the parser found it: not in a macro that the parser
/// expanded.
bool can_add_columns(const std::string& text, const SharedArrayDeclaration& array);

/// The text with the columns that choices (added_columns_choice()) add to arrays in shared memory. Throws
/// std::invalid_argument for an array that the source does not declare with rows, and for a value that is not a whole
/// number from 0.
std::string with_added_columns(std::string text, const CudaSource& source,
                               const std::map<std::string, std::string>& chosen);

/// Tells the columns that were added to a tile of the changed text from the size that the file has.
void take_added_columns(const std::map<std::string, std::string>& chosen, SourceTile& tile);

}  // namespace tilescope
