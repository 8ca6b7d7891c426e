#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope {

/// The instances that NVRTC's log is about: their template arguments do not fit. Empty where it is about other code.
std::vector<std::string> refused_by_nvrtc(const std::vector<std::string>& kernels, const std::string& log);

/// The instances that nvcc's log is about, of a text with_instantiations() that has `lines` lines before them. All of
/// them where an error is within a template.
std::vector<std::string> refused_by_nvcc(const std::vector<std::string>& kernels, const std::string& log,
                                         std::size_t lines);

/// "Left out: scale<int>, whose template arguments do not compile."; "" for none.
std::string refused_note(const std::vector<std::string>& refused);

}  // namespace tilescope
