#pragma once

namespace tilescope {

/// A rectangle of the desktop, in the window system's coordinates.
struct DesktopArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const DesktopArea&) const = default;
};

/// A monitor as the window system describes it.
struct Monitor {
  /// Without panels and docks.
  DesktopArea work_area;
  /// [px]
  int width = 0;
  int height = 0;
  /// [mm] 0 where unknown; many monitors and all virtual displays report sizes that are not theirs.
  int width_mm = 0;
  int height_mm = 0;
  /// Scale that the system reports, relative to 96 dots per inch; 1 also if it was never set.
  double content_scale = 1;
  /// Pixels of the monitor per unit of `work_area`: above 1 where the system enlarges windows itself.
  double pixels_per_unit = 1;
};

/// [px] Sizes of a window's title bar and borders.
struct WindowFrame {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

/// Scale of text and controls if the user chose none, in pixels per pixel of a 96 dpi monitor: the system's
/// scale if it reports one; else from the monitor's size, if that is plausible; else from its resolution.
/// Limited so that the work area keeps at least 1280 x 720 scaled pixels. A multiple of 1/4, 1 to 4.
double guess_scale(const Monitor& monitor);

/// Where a window's content goes that has no stored place: centred, most of the work area, no larger than its content
/// can use at `scale` [as guess_scale's].
DesktopArea default_place(const Monitor& monitor, double scale, const WindowFrame& frame);

/// `wanted` (a window's content) moved, and made smaller where necessary, so that the window with its frame lies inside
/// the work area.
DesktopArea place_inside(DesktopArea wanted, const Monitor& monitor, const WindowFrame& frame);

/// The pixels that two areas share: a window belongs to the monitor that holds most of it.
long shared_pixels(const DesktopArea& a, const DesktopArea& b);

}  // namespace tilescope
