#pragma once

#include "profiler/ptx/decoder.hpp"

/// Words that memory instructions share.
namespace tilescope::ptx {

/// The state space that an instruction names, consumed; generic when it names none. `.shared::cluster` is left: memory
/// of other blocks of a cluster is not modelled.
Space take_space(Decoder& decoder);

/// Consumes what says how caches and the memory model treat an access. Nothing of it changes a result here: there are
/// no caches, and every access takes effect at once, in the order of the interpreter. A cache policy operand, of
/// `.L2::cache_hint`, is consumed with it: it is the last one.
void take_cache_and_order(Decoder& decoder);

}  // namespace tilescope::ptx
