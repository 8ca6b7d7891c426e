#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

/// Lines of a file, such as a function of the host takes. Both are counted from 1 and belong to it.
struct LineRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The text with these lines empty; all others keep their numbers.
std::string without_lines(std::string_view text, const std::vector<LineRange>& ranges);

/// The text with lines behind it in which these template kernels are instantiated: "scale<float>", as in its launch. A
/// kernel that no code names with its arguments is not in the compiler's output.
std::string with_instantiations(std::string text, const std::vector<std::string>& kernels);

/// Headers by the name in #include, with their text.
using HeaderTexts = std::vector<std::pair<std::string, std::string>>;

/// Small headers of our own in the place of PyTorch's (torch/, ATen/, c10/) that a text includes. They declare what device
/// code uses: c10::Half, c10::BFloat16, packed accessors of tensors, at::acc_type, and the macros for launches and checks.
/// A tensor is declared alone: functions of the host that use one have to be left out. Empty where it includes none.
HeaderTexts torch_stand_ins(std::string_view text);

/// Headers for NVRTC in the place of the ones that only code for the host uses, such as <vector> and <cuda_runtime.h>,
/// which are empty, and <cstdint>, which is NVRTC's own.
HeaderTexts library_stand_ins();

}  // namespace tilescope
