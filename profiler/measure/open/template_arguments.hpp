#pragma once

#include <string>
#include <string_view>

/// Lists of template arguments, as a demangler and as a source write them.
namespace tilescope {

/// "64, 8" of "void gemm<64, 8>(float*)"; "" without template arguments.
std::string template_arguments_of(const std::string& demangled);

/// For a comparison: without spaces, casts and suffixes, "64,8" of "(int)64, 8u".
std::string folded_arguments(std::string_view arguments);

/// Whether the numbers of two folded lists are equal, whatever their types: a type in a launch may be the template's that
/// it stands in. False where there is no number.
bool have_equal_numbers(const std::string& a, const std::string& b);

}  // namespace tilescope
