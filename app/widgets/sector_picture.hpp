#pragma once

#include "app/widgets/bank_picture.hpp"

namespace tilescope {

/// Lanes against the 32-byte sectors of global memory, four of them to a line of 128 bytes. A bar in each sector shows
/// which of its bytes the lanes use.
struct SectorPicture {
  const MicroscopeView& view;
};

/// Explains the fills of the bars, beside the last item if there is room.
void draw_byte_legend();

/// As bank_picture.
AccessHover sector_picture(const SectorPicture& picture, float height);

}  // namespace tilescope
