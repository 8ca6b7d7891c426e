#pragma once

#include "profiler/execution/ptx/decoder.hpp"

/// Modifiers common to memory instructions.
namespace tilescope::ptx {

/// Consumes the state space that an instruction names; generic when it names none. `.shared::cluster` is not consumed:
/// memory of other blocks of a cluster is not modelled.
Space take_space(Decoder& decoder);

/// Consumes modifiers for caches and the memory model. They do not change results here: there are no caches, and every
/// access takes effect at once, in the interpreter's order. Also consumes the cache policy operand of
/// `.L2::cache_hint`, which is the last one.
void take_cache_and_order(Decoder& decoder);

}  // namespace tilescope::ptx
