#pragma once

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// The device that points are compiled and predicted for, `width` [px] wide. Marks "picker.device", "device.NAME".
void draw_device_picker(Explorer& explorer, float width);

}  // namespace tilescope
