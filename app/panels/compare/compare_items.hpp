#pragma once

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// Entries of a point's menu: it becomes side A or B of the comparison. Marks "row_menu.compare_a" and ".compare_b".
void compare_items(Explorer& explorer, const SharedMeasurement& point);

}  // namespace tilescope
