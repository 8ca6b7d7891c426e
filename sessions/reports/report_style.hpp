#pragma once

namespace tilescope {

/// The style sheet of a report. It has the colours of the window's two themes; plots take them by the classes of their
/// shapes (svg_plot.hpp), so that one picture serves both.
inline constexpr const char* report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #fcfdfe; --card: #f2f5f8; --line: #cfd6e0; --stripe: #f6f8fa; --text: #18202b; --muted: #556172;
  --accent: #1565b3; --fault: #b5154b; --cost: #855c00; --hint: #1565b3;
  --measured: #0069c0; --recorded: #4b5057; --predicted: #a54680; --reference: #166a59;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #181c22; --line: #2c333d; --stripe: #14181d; --text: #e7ebf1; --muted: #9ca8b8;
    --accent: #4f9ee8; --fault: #ff8062; --cost: #ffb507; --hint: #4f9ee8;
    --measured: #45bdff; --recorded: #8f9aa8; --predicted: #f2b0d0; --reference: #2daf81;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 1080px; margin: 0 auto; padding: 40px 28px 64px; }
h1 { font-size: 27px; line-height: 1.25; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
.subtitle { color: var(--muted); margin: 0 0 8px; }
h2 { font-size: 18px; margin: 44px 0 10px; padding-top: 14px; border-top: 1px solid var(--line); }
p { margin: 6px 0; max-width: 78ch; overflow-wrap: anywhere; }
figure { margin: 18px 0 22px; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--muted); font-size: 13px; margin-top: 6px; max-width: 90ch; }
.scroll { overflow-x: auto; margin: 12px 0; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; text-align: left; vertical-align: top; white-space: nowrap; }
th { color: var(--muted); font-weight: 600; background: var(--card); border-bottom: 1px solid var(--line); }
tbody tr + tr td { border-top: 1px solid var(--line); }
.n { text-align: right; }
.long { font-size: 12px; color: var(--muted); }
.text { white-space: normal; overflow-wrap: anywhere; }
tr.predicted td { color: var(--muted); font-style: italic; }
tr.failed td { color: var(--muted); }
ul.items { list-style: none; margin: 12px 0; padding: 0; }
ul.items li { border-left: 3px solid var(--line); padding: 2px 0 2px 14px; margin: 0 0 14px; max-width: 90ch; overflow-wrap: anywhere; }
ul.items .title { font-weight: 600; }
ul.items small { display: block; color: var(--muted); font-size: 13px; }
.tone { font-size: 12px; font-weight: 600; margin-right: 8px; }
.fault { color: var(--fault); } .cost { color: var(--cost); } .hint { color: var(--hint); }
ul.items li.of-fault { border-color: var(--fault); }
ul.items li.of-cost { border-color: var(--cost); }
ul.items li.of-hint { border-color: var(--hint); }
footer { margin-top: 48px; padding-top: 14px; border-top: 1px solid var(--line); color: var(--muted); font-size: 13px; }
svg text { font: 12px Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--text); font-variant-numeric: tabular-nums; }
svg .muted { fill: var(--muted); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .end { text-anchor: end; } svg .mid { text-anchor: middle; }
svg .measured { fill: var(--measured); stroke: var(--measured); }
svg .recorded { fill: var(--recorded); stroke: var(--recorded); }
svg .reference { fill: var(--reference); stroke: var(--reference); }
svg .predicted { fill: var(--page); stroke: var(--predicted); stroke-width: 1.5; }
svg .bar.predicted { fill: url(#hatch); stroke-dasharray: 4 3; }
svg .hatch { stroke: var(--predicted); stroke-width: 1; opacity: 0.55; }
svg .gain { fill: var(--reference); stroke: var(--reference); fill-opacity: 0.55; }
svg .loss { fill: var(--fault); stroke: var(--fault); fill-opacity: 0.55; }
svg .residual { fill: url(#hatch); stroke: var(--muted); stroke-dasharray: 2 2; }
svg .spread { stroke: var(--text); stroke-width: 1.25; fill: none; }
svg .whisker { stroke-width: 1; opacity: 0.45; }
svg .best { fill: none; stroke: var(--accent); stroke-width: 1.5; opacity: 0.8; }
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --card: #f2f5f8; --line: #cfd6e0; --text: #18202b; --muted: #556172;
    --accent: #1565b3; --fault: #b5154b; --cost: #855c00; --hint: #1565b3;
    --measured: #0069c0; --recorded: #4b5057; --predicted: #a54680; --reference: #166a59;
  }
  body { font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 7pt; } th, td { padding: 2px 4px; } th, .long { white-space: normal; overflow-wrap: anywhere; } .long { font-size: 6pt; }
  thead { display: table-header-group; }
  tr, figure, li { break-inside: avoid; } h2, section > p { break-after: avoid; }
}
)css";

}  // namespace tilescope
