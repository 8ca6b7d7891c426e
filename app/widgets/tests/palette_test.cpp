#include <gtest/gtest.h>
#include <imgui.h>
#include <implot.h>

#include <map>
#include <string>
#include <vector>

#include "app/gui/theme.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/tests/color_vision.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

constexpr double least_text = 4.5;
constexpr double least_mark = 3;
/// CIEDE2000 between any two colors of a set, for every eye.
constexpr double least_difference = 10;

using Colors = std::map<std::string, ImVec4>;

/// Each test runs over both palettes.
class PaletteOf : public ::testing::TestWithParam<ThemeKind> {
 protected:
  static void expect_contrast(const Colors& colors, const Colors& backgrounds, double least) {
    for (const auto& [name, color] : colors) {
      for (const auto& [where, background] : backgrounds) {
        EXPECT_GE(contrast_ratio(blend(color, background), background), least) << name << " on " << where;
      }
    }
  }

  static void expect_distinguishable(const Colors& colors) {
    for (const auto& vision : test_support::color_visions()) {
      for (auto a = colors.begin(); a != colors.end(); ++a) {
        for (auto b = std::next(a); b != colors.end(); ++b) {
          EXPECT_GE(test_support::color_difference(test_support::simulate(vision, a->second),
                                                   test_support::simulate(vision, b->second)),
                    least_difference)
              << a->first << " and " << b->first << ", " << vision.name;
        }
      }
    }
  }

  Colors series() const {
    Colors colors;
    for (std::size_t i = 0; i < p.series.size(); ++i) colors["series " + std::to_string(i)] = p.series[i];
    return colors;
  }
  Colors kinds() const {
    return {{"measured", p.measured},
            {"counted", p.counted},
            {"predicted", p.predicted},
            {"recorded", p.recorded}};
  }
  Colors states() const { return {{"ok", p.ok}, {"warning", p.warning}, {"error", p.error}}; }

  Palette p = palette_of(GetParam());
  Colors panels = {{"surface", p.surface}, {"plot", p.plot}};
  Colors rows = {
      {"surface", p.surface}, {"stripe", p.stripe}, {"hovered", p.hovered}, {"accent_soft", p.accent_soft}};
  Colors everything = {{"background", p.background},  {"surface", p.surface}, {"raised", p.raised},
                       {"hovered", p.hovered},        {"plot", p.plot},       {"stripe", p.stripe},
                       {"accent_soft", p.accent_soft}};
};

TEST_P(PaletteOf, TextIsReadableOnEveryBackground) {
  expect_contrast({{"text", p.text}, {"muted", p.muted}}, everything, least_text);
  expect_contrast({{"accent_text", p.accent_text}}, {{"accent", p.accent}}, least_text);
  expect_contrast({{"surface", p.surface}}, {{"error", p.error}}, least_text);  // of an invalid segment
  expect_contrast({{"accent", p.accent}}, {{"surface", p.surface}, {"raised", p.raised}}, least_text);
}

TEST_P(PaletteOf, StatesAreReadableInTablesDialogsAndTheStatusLine) {
  expect_contrast(states(), rows, least_text);
  expect_contrast(states(), {{"raised", p.raised}, {"background", p.background}}, least_text);
}

TEST_P(PaletteOf, TextIsReadableInTintedBoxes) {
  Colors tints = states();
  tints.merge(Colors{{"accent", p.accent}, {"recorded", p.recorded}});
  Colors texts = tints;
  texts.merge(Colors{{"text", p.text}, {"muted", p.muted}});
  for (auto& [name, color] : tints) color = blend(wash(color, tint_opacity), p.surface);
  expect_contrast(texts, tints, least_text);
}

TEST_P(PaletteOf, KindsOfFigureAreReadableWhereTheyNameASource) {
  expect_contrast(kinds(), {{"surface", p.surface}, {"raised", p.raised}}, least_text);
}

TEST_P(PaletteOf, MarksAndTheLinesBetweenThemAreSeenOnPlots) {
  Colors marks = series();
  marks.merge(kinds());
  marks.merge(states());
  marks.merge(Colors{{"muted", p.muted}, {"selection", p.selection}, {"accent", p.accent}});
  expect_contrast(marks, panels, least_mark);
  for (auto& [name, color] : marks) color = wash(color, joining_opacity);
  expect_contrast(marks, panels, least_mark);
  expect_contrast(kinds(), rows, least_mark);  // bars of a table's rows
}

TEST_P(PaletteOf, ControlsAreSeen) {
  const Colors under{{"surface", p.surface}, {"raised", p.raised}};
  expect_contrast({{"outline", p.outline}, {"accent", p.accent}, {"error", p.error}}, under, least_mark);
  expect_contrast({{"faint", wash(p.muted, faint_opacity)}}, {{"surface", p.surface}}, least_mark);
  expect_contrast({{"check mark", p.accent}}, {{"accent_soft", p.accent_soft}}, least_mark);
  expect_contrast({{"status", p.ok}, {"tab", p.accent}}, {{"background", p.background}}, least_mark);
}

TEST_P(PaletteOf, ColorsOfASetAreDistinguishedByEveryEye) {
  expect_distinguishable(series());
  expect_distinguishable(kinds());
  expect_distinguishable(states());
}

TEST_P(PaletteOf, FiguresAreReadableOnEveryColorOfTheHeatMap) {
  const test_support::HeadlessGui gui(200, 100, 1, GetParam());
  for (int i = 0; i <= 256; ++i) {
    const ImVec4 cell = ImPlot::SampleColormap(static_cast<float>(i) / 256, palette().heat_map);
    EXPECT_GE(contrast_ratio(black_or_white_on(cell), cell), least_text) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, PaletteOf, ::testing::Values(ThemeKind::dark, ThemeKind::light),
                         [](const auto& theme) { return theme.param == ThemeKind::dark ? "dark" : "light"; });

}  // namespace
}  // namespace tilescope
