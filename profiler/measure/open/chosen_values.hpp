#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "profiler/execution/simt/block.hpp"

namespace tilescope {

/// A number as a user writes it: "4096", "0.125".
std::string number_text(double value);

/// The number that a user chose for a part of a launch. Throws std::invalid_argument with both where it is none.
double chosen_number(const std::string& what, const std::string& text);

/// "[16, 16, 1]", "16,16", "16x16" or "256": up to three sizes, the missing ones 1. Throws std::invalid_argument.
std::array<std::uint32_t, 3> chosen_sizes(const std::string& what, const std::string& text);

/// "[16, 16, 1]"
std::string sizes_text(const simt::Dimensions& sizes);

}  // namespace tilescope
