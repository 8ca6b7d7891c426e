#pragma once

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// The card of an exhibit, which can be folded: how its deliberate bug looks, where it shows, what repairs it,
/// with the switch of the bug and the checkers. Nothing for a kernel without a card.
void draw_exhibit_card(Explorer& explorer);

}  // namespace tilescope
