#pragma once

#include <cstdint>
#include <string>

#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// ".n" for a field, ".x" for the component 0 of a dim3, "" for neither (axis -1).
std::string part_text(const std::string& field, int axis);

/// Whether an event makes its name known, rather than writing to it.
bool declares(const ValueEvent& event);

/// Whether an event comes before a place of its function and is visible there.
bool precedes(const ValueEvent& event, std::uint32_t position);

/// Whether an event gives a value to a part of its name, see part_text.
bool has_wanted_part(const ValueEvent& event, const std::string& field, int axis);

/// Whether an event is in an #else or #elif that does not enclose a place.
bool is_in_other_branch(const ValueEvent& event, std::uint32_t position);

/// Whether an event is in a loop that has ended before a place.
bool is_in_ended_loop(const ValueEvent& event, std::uint32_t position);

/// Whether a variable is set to 0 and its address is taken later: int n = 0; read(&n);
bool is_zero_before_it_is_read(const ValueEvent& event, const SourceIndex& index, std::uint32_t position);

/// Whether a variable of the file is set to 0, and one of its functions reads it: fscanf(file, "%d", &n).
bool is_zero_of_file_that_is_read(const ValueEvent& event, const SourceIndex& index);

/// Element of a list that is a component, for a reason: "32" is the y of "(64, 32)".
std::string shown_part(const SyntaxNode& value, int axis);

}  // namespace tilescope
