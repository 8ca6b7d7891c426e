#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// Why an access costs what it costs, in sentences, from the addresses of its lanes. Everything in the view
/// but the texts must be set.
std::string reason_of(const MicroscopeView& view);
/// The reason of one pass; without one the worst pass's, which it names, and what the others take.
std::string pass_reason(const MicroscopeView& view, std::optional<std::size_t> pass);
/// The longest of them, with any pass, over executions of one site: all of `accesses`, or a sample of many. Room for it
/// keeps what lies below in its place from execution to execution.
std::string longest_reason(const BlockRecording& recording, const TileFinder& tiles,
                           const std::vector<std::uint32_t>& accesses);

/// How an access of this kind is served: "16 B per lane go in four passes of 8 lanes ..."
std::string rule_of(const MicroscopeView& view);

/// "read", "write", "update"
std::string verb_of(simt::Access access);

}  // namespace tilescope
