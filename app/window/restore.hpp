#pragma once

#include "app/explorer/explorer.hpp"
#include "app/window/run_record.hpp"
#include "app/window/settings.hpp"

namespace tilescope {

LastState last_state_of(const Explorer& explorer);

/// Opens what was open, in the background; says which files are not there any more.
void restore(Explorer& explorer, const LastState& last);

/// Offers the session of a window that did not end in order.
void offer_left_behind(Explorer& explorer, const SessionPlace& place);

}  // namespace tilescope
