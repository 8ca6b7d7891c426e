#pragma once

#include <functional>
#include <string>

namespace tilescope {

/// The most of a text that fits, with an ellipsis between its beginning and its end, which has two thirds: names of one file
/// differ at their end. Characters of UTF-8 stay whole. "…" where nothing fits.
std::string cut_in_the_middle(const std::string& text, const std::function<bool(const std::string&)>& fits);

}  // namespace tilescope
