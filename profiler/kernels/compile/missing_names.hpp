#pragma once

#include <string>

namespace tilescope {

/// Note on a compilation with the declarations below: a kernel that uses one of them is not the user's.
inline constexpr const char* missing_names_note =
    " Names that are missing here were declared, as empty types, so that the code beside the kernels "
    "compiles.";

/// Declarations of names of the host's libraries that a compiler misses, by its log: "typedef struct ncclComm_t_ *ncclComm_t;"
/// for a handle, "namespace google {}" for "namespace gflags = google;", a template for "using boost::shared_ptr;". Device
/// code uses none of them, but a structure or a prototype of the host that stands beside it may. Also definitions of the
/// function objects that CUB 3 no longer has, cub::Max and cub::Sum, and empty classes for unknown names in headers: the
/// kernels stand in the file, `main_file`, whose names in the log are left to it. "" where there are none.
std::string declarations_of_missing(const std::string& log, const std::string& main_file);

}  // namespace tilescope
