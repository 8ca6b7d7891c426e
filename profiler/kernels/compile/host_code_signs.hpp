#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Sign that a CUDA C++ file has code for the host, which NVRTC does not compile: "it includes <stdio.h>", "it launches
/// a kernel (<<<)", "it has a function main"; "" for none. `header_folders`: where NVRTC finds headers. Takes less than
/// a millisecond for most files, where a failure of NVRTC takes a hundred.
std::string sign_of_host_code(std::string_view text,
                              const std::vector<std::filesystem::path>& header_folders);

}  // namespace tilescope
