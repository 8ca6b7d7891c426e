#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The SHA-256 of some bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// The SHA-256 of the machine code of `entry` in a cubin (its ELF section .text.<entry>), without line tables and other
/// debug information: equal hashes are the same program. Throws std::runtime_error when there is no such section.
std::string sass_sha256(const std::vector<char>& cubin, const std::string& entry);

}  // namespace tilescope
