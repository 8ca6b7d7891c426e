#pragma once

#include <optional>
#include <string>

#include "profiler/views/microscope.hpp"

namespace tilescope {

/// Why an access costs what it costs, in sentences, from the addresses of its lanes. Of the view everything but the
/// texts must be set.
std::string reason_of(const MicroscopeView& view);
/// The reason of one pass; without one that of the worst pass, which it names, and what the others take.
std::string pass_reason(const MicroscopeView& view, std::optional<std::size_t> pass);

/// How an access of this kind is served: "16 B per lane go in four passes of 8 lanes ..."
std::string rule_of(const MicroscopeView& view);

/// "read", "write", "update"
std::string verb_of(ptx::Access access);

}  // namespace tilescope
