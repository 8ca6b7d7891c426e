// The scale and the place of the window, for monitors as window systems describe them.

#include "app/gui/monitor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

Monitor monitor(int width, int height, int width_mm = 0, int height_mm = 0) {
  Monitor result;
  result.work_area = {0, 0, width, height};
  result.width = width;
  result.height = height;
  result.width_mm = width_mm;
  result.height_mm = height_mm;
  return result;
}

TEST(GuessedScale, IsWhatTheSystemNames) {
  Monitor named = monitor(3840, 2160, 597, 336);
  named.content_scale = 1.75;
  EXPECT_DOUBLE_EQ(guess_scale(named), 1.75);
}

TEST(GuessedScale, LeavesTheEnlargingToASystemThatDoesItItself) {
  Monitor wayland = monitor(3840, 2160, 597, 336);
  wayland.content_scale = wayland.pixels_per_unit = 2;
  EXPECT_DOUBLE_EQ(guess_scale(wayland), 1);
}

TEST(GuessedScale, FollowsFromThePhysicalSize) {
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 597, 336)), 1.5) << "27 inches";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 941, 529)), 1) << "42.5 inches";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(2560, 1440, 597, 336)), 1) << "27 inches";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1920, 1080, 527, 296)), 1) << "24 inches";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(2560, 1600, 286, 179)), 2) << "a laptop of 13.3 inches";
}

TEST(GuessedScale, LeavesRoomForTheLayout) {
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1920, 1080, 256, 144)), 1.5)
      << "11.6 inches: 1.98 would leave 970 x 545";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1280, 720, 200, 113)), 1);
}

TEST(GuessedScale, FollowsFromTheResolutionWhereTheSizeIsUnknownOrNonsense) {
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160)), 2);
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 1016, 571)), 2) << "an X server's 96 dots per inch";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 975, 549)), 2) << "a virtual display's 100 dots per inch";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 160, 90)), 2) << "a television's aspect ratio";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(3840, 2160, 600, 600)), 2) << "two densities";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1920, 1080)), 1);
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1280, 720)), 1);
  EXPECT_DOUBLE_EQ(guess_scale(monitor(1024, 600)), 1) << "never smaller";
  EXPECT_DOUBLE_EQ(guess_scale(monitor(0, 0)), 1) << "nothing is known";
}

constexpr WindowFrame frame{2, 30, 2, 2};

bool is_inside(const DesktopArea& content, const DesktopArea& work) {
  return content.x - frame.left >= work.x && content.y - frame.top >= work.y &&
         content.x + content.width + frame.right <= work.x + work.width &&
         content.y + content.height + frame.bottom <= work.y + work.height;
}

TEST(WindowPlace, LiesInsideTheWorkAreaAtFirst) {
  for (const auto& [width, height] :
       {std::pair{1280, 720}, {1366, 768}, {1920, 1080}, {3840, 2160}, {5120, 1440}}) {
    Monitor here = monitor(width, height);
    here.work_area = {70, 27, width - 70, height - 27};
    const double scale = guess_scale(here);
    const DesktopArea place = default_place(here, scale, frame);
    EXPECT_TRUE(is_inside(place, here.work_area)) << width << " x " << height;
    const double usual = std::min(1200 * scale, here.work_area.width - 4.0);
    EXPECT_GE(place.width, usual) << width << " x " << height;
    EXPECT_GE(place.height, 0.8 * here.work_area.height) << width << " x " << height;
  }
  const DesktopArea roomy = default_place(monitor(1920, 1080), 1, frame);
  EXPECT_LT(roomy.width, 1800) << "most of the desktop, not all";
  const DesktopArea very_wide = default_place(monitor(5120, 1440), 1, frame);
  EXPECT_LT(very_wide.width, 3000);
}

TEST(WindowPlace, OfAnEarlierWindowIsKeptWhereItFits) {
  const DesktopArea stored{300, 200, 1000, 700};
  EXPECT_EQ(place_inside(stored, monitor(1920, 1080), frame), stored);
}

TEST(WindowPlace, OfAnEarlierWindowIsMovedAndMadeSmaller) {
  const Monitor here = monitor(1280, 720);
  const DesktopArea beyond{2500, -400, 1000, 600};
  const DesktopArea moved = place_inside(beyond, here, frame);
  EXPECT_TRUE(is_inside(moved, here.work_area));
  EXPECT_EQ(moved.width, 1000);
  EXPECT_EQ(moved.height, 600);
  const DesktopArea larger{0, 0, 1920, 1080};
  const DesktopArea smaller = place_inside(larger, here, frame);
  EXPECT_TRUE(is_inside(smaller, here.work_area));
  EXPECT_EQ(smaller.width, 1280 - 4);
}

TEST(WindowPlace, BelongsToTheMonitorThatHoldsMostOfIt) {
  const DesktopArea window{1800, 100, 1000, 500};
  EXPECT_EQ(shared_pixels(window, {0, 0, 1920, 1080}), 120 * 500);
  EXPECT_EQ(shared_pixels(window, {1920, 0, 1920, 1080}), 880 * 500);
  EXPECT_EQ(shared_pixels(window, {0, 1080, 1920, 1080}), 0);
}

}  // namespace
}  // namespace tilescope
