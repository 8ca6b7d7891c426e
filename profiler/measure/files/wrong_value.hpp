#pragma once

#include <string>

#include "profiler/service/requests/compared_buffer.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {

/// The finding about a buffer of which elements are wrong; `address`: where the first of them is.
Finding wrong_value_finding(const ComparedBuffer& compared, const std::string& buffer, std::uint64_t address);

/// "[2, 5] (element 133)", or "[133]" without a shape.
std::string index_words(const ComparedElement& element);

}  // namespace tilescope
