#include "app/gui/svg.hpp"

#include <gtest/gtest.h>
#include <imgui.h>
#include <implot.h>

#include <functional>

#include "app/gui/export_format.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

/// The SVG of a window over the whole screen in which `content` draws.
std::string svg_of(const std::function<void()>& content) {
  test_support::HeadlessGui gui(400, 300);
  gui.show([&] {
    const ExactShapes exact;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({400, 300});
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
    content();
    ImGui::End();
  });
  gui.frames();
  return to_svg(*ImGui::GetDrawData(), "a <title> & more", {1, 1, 1, 1});
}

bool has(const std::string& svg, const std::string& part) {
  return svg.find(part) != std::string::npos;
}

TEST(Svg, TextIsTextAWholeLineAtATime) {
  const std::string svg = svg_of([] {
    ImGui::TextUnformatted("p50 latency [µs] of <K> & \"V\"");
    ImGui::TextUnformatted("second line");
  });
  EXPECT_TRUE(has(svg, ">p50 latency [µs] of &lt;K&gt; &amp; &quot;V&quot;</text>")) << svg;
  EXPECT_TRUE(has(svg, ">second line</text>")) << svg;
  EXPECT_TRUE(has(svg, "<title>a &lt;title&gt; &amp; more</title>"));
}

TEST(Svg, TextIsWhereItIsOnTheScreen) {
  const std::string svg = svg_of([] {
    ImGui::GetWindowDrawList()->AddText({40, 100}, IM_COL32(255, 0, 0, 255), "here");
  });
  const std::size_t at = svg.find("<text class=\"t\" x=\"40\"");
  ASSERT_NE(at, std::string::npos) << svg;
  const float baseline = std::stof(svg.substr(svg.find(" y=\"", at) + 4));
  EXPECT_GT(baseline, 105) << "below the top of the line";
  EXPECT_LT(baseline, 120);
  EXPECT_TRUE(has(svg, "fill=\"#ff0000\">here</text>")) << svg;
}

TEST(Svg, ALabelOfAVerticalAxisIsTurned) {
  const std::string svg = svg_of([] {
    ImPlot::BeginPlot("##plot", {300, 200});
    ImPlot::SetupAxes("BLOCK_M", "p50 [µs]");
    ImPlot::EndPlot();
  });
  EXPECT_TRUE(has(svg, ">BLOCK_M</text>")) << svg;
  const std::size_t at = svg.find(">p50 [µs]</text>");
  ASSERT_NE(at, std::string::npos) << svg;
  EXPECT_NE(svg.substr(svg.rfind('\n', at), at - svg.rfind('\n', at)).find("rotate(-90 "), std::string::npos);
}

TEST(Svg, ShapesAreCutAtTheirClipRectangle) {
  const std::string svg = svg_of([] {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.PushClipRect({100, 100}, {150, 150});
    draw.AddRectFilled({50, 120}, {300, 140}, IM_COL32(0, 128, 0, 255));
    draw.AddText({200, 120}, IM_COL32(0, 0, 255, 255), "outside");
    draw.PopClipRect();
  });
  EXPECT_TRUE(has(svg, "<path d=\"M100 120L150 120L150 140L100 140Z\" fill=\"#008000\"")) << svg;
  EXPECT_FALSE(has(svg, "outside"));
}

TEST(Svg, OpacityAndGradientsAreKept) {
  const std::string svg = svg_of([] {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled({10, 10}, {20, 20}, IM_COL32(1, 2, 3, 51));
    const ImU32 left = IM_COL32(255, 0, 0, 255);
    const ImU32 right = IM_COL32(0, 0, 255, 255);
    draw.AddRectFilledMultiColor({50, 50}, {90, 60}, left, right, right, left);
  });
  EXPECT_TRUE(has(svg, "fill=\"#010203\" fill-opacity=\"0.2\"")) << svg;
  EXPECT_TRUE(has(svg, "x1=\"50\" y1=\"55\" x2=\"90\" y2=\"55\"><stop offset=\"0\" stop-color=\"#ff0000\"/>"))
      << svg;
}

TEST(Svg, WhatLiesAboveIsWrittenLater) {
  const std::string svg = svg_of([] {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled({10, 10}, {60, 60}, IM_COL32(0, 0, 0, 255));
    draw.AddText({20, 20}, IM_COL32(255, 255, 255, 255), "over");
    draw.AddRectFilled({10, 10}, {60, 60}, IM_COL32(9, 9, 9, 255));
  });
  const std::size_t text = svg.find(">over</text>");
  EXPECT_LT(svg.find("#000000"), text);
  EXPECT_GT(svg.find("#090909"), text);
}

TEST(Svg, DrawListsOfLaterFramesAreSmoothAgain) {
  test_support::HeadlessGui gui(200, 200);
  ImDrawFlags flags = 0;
  gui.show([&] {
    { const ExactShapes exact; }
    ImGui::Begin("test");
    flags = ImGui::GetWindowDrawList()->Flags;
    ImGui::End();
  });
  gui.frames();
  EXPECT_NE(flags & ImDrawFlags_AAFill, 0);
}

TEST(ExportFormat, IsChosenByTheExtension) {
  EXPECT_EQ(export_format_of("a/b.png"), ExportFormat::png);
  EXPECT_EQ(export_format_of("b.SVG"), ExportFormat::svg);
  EXPECT_EQ(export_format_of("b.v2.csv"), ExportFormat::csv);
  for (const char* file : {"a.gif", "png", "", "a.csv.gz"}) {
    try {
      export_format_of(file);
      FAIL() << file;
    } catch (const ExportError& error) {
      EXPECT_NE(std::string(error.what()).find(".png, .svg or .csv"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tilescope
