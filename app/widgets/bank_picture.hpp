#pragma once

#include <cstddef>
#include <optional>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// Lanes against the banks of shared memory: for each pass the lanes that it serves, lines to the banks, and above each
/// bank the words that the pass needs of it, one upon the other: the height of a stack is its degree.
struct BankPicture {
  const MicroscopeView& view;
  /// One pass; none for all of them, one below the other.
  std::optional<std::size_t> pass;
  /// Lanes that another panel looks at.
  simt::LaneMask highlighted = 0;
};

/// Element under the mouse.
struct AccessHover {
  std::optional<std::size_t> lane;
  std::optional<BankWord> word;
  /// Into SectorUse::sectors.
  std::optional<std::size_t> sector;
};

/// [px] The height in which every row is readable.
float height_of_banks(const MicroscopeView& view, std::optional<std::size_t> pass);

/// Takes the width that is left and `height`, or more where the rows need it. The last item is the whole picture.
AccessHover bank_picture(const BankPicture& picture, float height);

}  // namespace tilescope
