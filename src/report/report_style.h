// report/report_style.h: how report.html looks, by day and by night.
#pragma once

namespace godwit {

// Holds neither '<' nor '&', so that the page stays well-formed as XML.
inline constexpr const char* kReportStyle = R"(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --soft: #5b6675; --rule: #e3e7ec;
  --accent: #0072b2; --good: #00714f; --good-back: #e3f4ee; --bad: #a33d00; --bad-back: #fdeee4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161d; --card: #1a212b; --ink: #e6ebf1; --soft: #9aa7b6; --rule: #2b3542;
    --accent: #56b4e9; --good: #4fd0a5; --good-back: #15352b; --bad: #ffa366; --bad-back: #3d2615;
  }
  svg .s0 { stroke: #56b4e9; fill: #56b4e9; }
  svg .s1 { stroke: #f08a4b; fill: #f08a4b; }
  svg .s2 { stroke: #35c79a; fill: #35c79a; }
  svg .s3 { stroke: #e29bc4; fill: #e29bc4; }
  svg .s4 { stroke: #8fd0f5; fill: #8fd0f5; }
  svg .s5 { stroke: #f0b83f; fill: #f0b83f; }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 36px; }
.brand {
  color: var(--accent); font-size: 12px; font-weight: 650; letter-spacing: .09em;
  text-transform: uppercase;
}
h1 { margin: 2px 0 6px; font-size: 30px; line-height: 1.2; font-weight: 680; }
h1 span { color: var(--soft); font-weight: 400; }
h2 { margin: 36px 0 12px; font-size: 18px; font-weight: 650; }
.facts { color: var(--soft); display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }
.badge { padding: 1px 10px; border-radius: 99px; font-size: 13px; font-weight: 600; }
.badge.good { color: var(--good); background: var(--good-back); }
.badge.bad { color: var(--bad); background: var(--bad-back); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.figures { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 24px; }
.figure { flex: 1 1 145px; padding: 12px 16px; }
.figure .name { color: var(--soft); font-size: 13px; }
.figure .value {
  font-size: 25px; line-height: 1.3; font-weight: 650; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
.figure.main .value { color: var(--accent); }
.figure .note { color: var(--soft); font-size: 12.5px; min-height: 1.5em; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 14px; }
.plot { padding: 8px 6px 4px; }
.plot svg { display: block; width: 100%; height: auto; }
svg .spot:hover { fill-opacity: .55; }
svg .dot:hover { stroke: currentColor; stroke-width: 2; }
.columns {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 0 24px;
  align-items: start;
}
.scroll { overflow-x: auto; padding: 6px 18px 10px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th {
  text-align: left; color: var(--soft); font-weight: 600; font-size: 12.5px;
  padding: 8px 14px 6px 0; border-bottom: 1px solid var(--rule);
}
td {
  padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top;
  overflow-wrap: anywhere;
}
tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.key { color: var(--soft); white-space: nowrap; width: 1%; padding-right: 28px; }
code, pre {
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px;
}
td.default { color: var(--soft); }
td.chosen { color: var(--accent); font-weight: 600; }
pre {
  margin: 0; padding: 14px 18px; white-space: pre-wrap; overflow-wrap: anywhere;
  line-height: 1.45;
}
ul { margin: 0; padding: 12px 18px 12px 36px; }
footer { color: var(--soft); font-size: 13px; padding-top: 28px; padding-bottom: 40px; }
@media (max-width: 520px) {
  .plots, .columns { grid-template-columns: 1fr; }
  main, header, footer { padding-left: 14px; padding-right: 14px; }
}
@media print {
  body { background: none; }
  .card { break-inside: avoid; }
}
)";

}  // namespace godwit
