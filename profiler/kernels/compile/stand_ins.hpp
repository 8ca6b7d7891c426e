#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

/// Headers by the name in #include, with their text.
using HeaderTexts = std::vector<std::pair<std::string, std::string>>;

/// Name of the header that NVRTC is to include before a file with code for the host: types and constants that nvcc and
/// headers of the host declare, and NVRTC does not. It is among device_headers(), and needs the toolkit's headers.
inline constexpr const char* device_prelude = "tilescope/prelude.h";

/// Headers for NVRTC in the place of headers that a file includes (`included`: names in #include) and that NVRTC does not
/// have: libcu++'s of the C++ library where `uses_library`, torch_stand_in for PyTorch's, empty ones for the host's as far
/// as they are known. A name that is not known is not among them. `text`, which may use PyTorch's names without an
/// include, is the file's.
HeaderTexts device_headers(const std::vector<std::string>& included, bool uses_library,
                           std::string_view text = {});

/// Whether a text of device code uses more of the C++ library than the prelude has. libcu++ takes a second to compile.
bool uses_standard_library(std::string_view text);

/// Small headers of our own in the place of PyTorch's (torch/, ATen/, c10/) that a text includes. They declare what device
/// code uses: c10::Half, c10::BFloat16, packed accessors of tensors, at::acc_type, and the macros for launches and checks.
/// A tensor is declared alone: functions of the host that use one have to be left out. Empty where it includes none.
HeaderTexts torch_stand_ins(std::string_view text);

}  // namespace tilescope
