#include "sessions/reports/report_document.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

ReportDocument small_report() {
  ReportDocument report;
  report.title = "A <script>&";
  report.subtitle = "3 points";
  ReportSection section;
  section.heading = "Points";
  section.paragraphs = {"TFLOP/s = 4*B*D / p50"};
  section.table.columns = {{"Kernel"}, {.header = "p50", .is_number = true}};
  section.table.rows = {
      {{"a|b_c", "1"}}, {{"<script>&", "2"}, ReportTable::RowKind::predicted}, {{"_x_\ny", "3"}}};
  section.items = {{ReportItem::Tone::fault, "race", "two threads", {"At line 3."}}};
  section.figures = {{"<svg></svg>", "a caption"}};
  report.sections = {section};
  report.footer = "Written by hand.";
  return report;
}

TEST(ReportDocument, HtmlIsOnePageOfEscapedTextWithoutScripts) {
  const std::string html = to_html(small_report());
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("<h1>A &lt;script&gt;&amp;</h1>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;script&gt;&amp;</td>"), std::string::npos);
  EXPECT_NE(html.find("<tr class=\"predicted\">"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"n\">1</td>"), std::string::npos);
  EXPECT_NE(html.find("<figure><svg></svg><figcaption>a caption"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* outside : {"http://", "https://", "url(http", "src=\"", "href=\"", "@import"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(ReportDocument, HtmlFollowsTheThemeAndPrintsLight) {
  const std::string html = to_html(small_report());
  EXPECT_NE(html.find("@media (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_NE(html.find("@media print"), std::string::npos);
}

TEST(ReportDocument, MarkdownEscapesWhatItWouldReadAsMarkup) {
  const std::string text = to_markdown(small_report(), 20);
  EXPECT_NE(text.find("## A &lt;script&gt;&amp;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("TFLOP/s = 4\\*B\\*D / p50"), std::string::npos) << text;
  EXPECT_NE(text.find("| Kernel | p50 |\n|---|---:|\n| a\\|b_c | 1 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| \\_x\\_ y | 3 |"), std::string::npos) << text;
  EXPECT_NE(text.find("- **fault** race: two threads At line 3.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("<svg"), std::string::npos);
}

TEST(ReportDocument, MarkdownSaysHowManyRowsItLeavesOut) {
  EXPECT_NE(to_markdown(small_report(), 1).find("\n2 more rows: the report as HTML or CSV"),
            std::string::npos);
  EXPECT_EQ(to_markdown(small_report(), 3).find("more row"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
