#include "app/gui/monitor.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {

namespace {

constexpr double usual_dpi = 96;
constexpr double mm_per_inch = 25.4;
constexpr double largest_scale = 4;
/// The room that a window needs at least, in pixels of a 96 dpi monitor.
constexpr double needed_width = 1280;
constexpr double needed_height = 720;

/// Down, so that a monitor a little denser than usual is not enlarged; the tolerance is for sizes rounded to mm.
double quarter_below(double scale) {
  return std::floor(4 * scale + 0.05) / 4;
}

bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * b;
}

/// A size that the monitor can really have. X servers invent one at 96 (or, older ones, 100 and 75) dots per inch where
/// they know none, and some televisions report their aspect ratio in centimetres.
bool has_plausible_size(const Monitor& monitor) {
  constexpr int smallest_mm = 200;
  if (monitor.width_mm < smallest_mm || monitor.height_mm <= 0) return false;
  const double dpi_across = monitor.width * mm_per_inch / monitor.width_mm;
  const double dpi_down = monitor.height * mm_per_inch / monitor.height_mm;
  if (!is_near(dpi_across, dpi_down, 0.15)) return false;
  constexpr double least_dpi = 40;
  constexpr double most_dpi = 400;
  if (dpi_across < least_dpi || dpi_across > most_dpi) return false;
  const auto is_invented = [&](double dpi) {
    return is_near(dpi_across, dpi, 0.002) && is_near(dpi_down, dpi, 0.002);
  };
  return !is_invented(75) && !is_invented(96) && !is_invented(100);
}

/// At what people usually sit before: 1920 x 1080 unscaled.
double scale_of_resolution(const Monitor& monitor) {
  return std::min(monitor.width / 1920.0, monitor.height / 1080.0);
}

}  // namespace

double guess_scale(const Monitor& monitor) {
  if (monitor.content_scale != 1 || monitor.pixels_per_unit != 1)
    return std::max(monitor.content_scale / monitor.pixels_per_unit, 0.25);
  const double guess = has_plausible_size(monitor)
                           ? monitor.width * mm_per_inch / monitor.width_mm / usual_dpi
                           : scale_of_resolution(monitor);
  const double room = std::min(monitor.width / needed_width, monitor.height / needed_height);
  return std::clamp(quarter_below(std::min(guess, room)), 1.0, largest_scale);
}

DesktopArea default_place(const Monitor& monitor, double scale, const WindowFrame& frame) {
  constexpr double share = 0.85;
  constexpr double usual_width = 1440;
  constexpr double usual_height = 900;
  // Beyond it, plots and tables only grow apart.
  constexpr double widest = 2.2;
  const DesktopArea& work = monitor.work_area;
  DesktopArea place;
  place.height = static_cast<int>(std::max(share * work.height, usual_height * scale));
  place.height = std::min(place.height, work.height - frame.top - frame.bottom);
  place.width = static_cast<int>(std::max(share * work.width, usual_width * scale));
  place.width = std::min(place.width, static_cast<int>(std::max(widest * place.height, usual_width * scale)));
  place.width = std::min(place.width, work.width - frame.left - frame.right);
  place.x = work.x + (work.width - place.width - frame.left - frame.right) / 2 + frame.left;
  place.y = work.y + (work.height - place.height - frame.top - frame.bottom) / 2 + frame.top;
  return place_inside(place, monitor, frame);
}

DesktopArea place_inside(DesktopArea wanted, const Monitor& monitor, const WindowFrame& frame) {
  const DesktopArea& work = monitor.work_area;
  wanted.width = std::clamp(wanted.width, 1, std::max(work.width - frame.left - frame.right, 1));
  wanted.height = std::clamp(wanted.height, 1, std::max(work.height - frame.top - frame.bottom, 1));
  // The upper left corner, with the title bar, has precedence.
  wanted.x =
      std::max(std::min(wanted.x, work.x + work.width - wanted.width - frame.right), work.x + frame.left);
  wanted.y =
      std::max(std::min(wanted.y, work.y + work.height - wanted.height - frame.bottom), work.y + frame.top);
  return wanted;
}

long shared_pixels(const DesktopArea& a, const DesktopArea& b) {
  const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(width, 0L) * std::max(height, 0L);
}

}  // namespace tilescope
