/**
 * Uses the fonts of the reader's computer. The test measures in a browser that every text colour has a contrast of at least 4.5 against its
 * background, in light and dark mode and on paper.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f9; --line: #d9dee5;
  --text: #17202b; --quiet: #566170; --link: #1b57b8;
  --bar: #3b76d6; --unknown: #e3e7ed;
  --good: #176b3a; --bad: #b0261c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161b; --raised: #1c222a; --line: #343d49;
    --text: #e7ecf2; --quiet: #a3afbd; --link: #8fb8ff;
    --bar: #6a9df0; --unknown: #2b333d;
    --good: #69cf94; --bad: #ff968c;
  }
}
* { box-sizing: border-box; }
html { background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 3rem; max-width: 60rem;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; color: var(--text); background: var(--ground);
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 0 0 .75rem; font-size: 1.125rem; line-height: 1.3; }
h3 { margin: 0 0 .25rem; font-size: .875rem; color: var(--quiet); font-weight: 600; }
p { margin: 0 0 .5rem; }
section { margin-top: 2.75rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.quiet { color: var(--quiet); font-size: .875rem; }
.up { color: var(--good); } .down { color: var(--bad); }
header .quiet { margin: .375rem 0 0; font-size: 1rem; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.75rem 0 0; }
.tiles div { padding: .875rem 1rem; background: var(--raised); border-radius: .625rem; }
.tiles dt { font-size: .875rem; color: var(--quiet); }
.tiles dd { margin: 0; }
.tiles .figure { font-size: 1.75rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
.tiles .quiet { line-height: 1.35; text-wrap: balance; }
.plot { display: grid; grid-template-columns: auto 1fr; gap: .25rem .625rem; margin-top: .75rem; }
.few { max-width: 30rem; }
.plot svg { display: block; width: 100%; height: 12rem; overflow: visible; }
.plot rect { fill: var(--bar); } .plot rect.unknown { fill: var(--unknown); }
.grid path { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; fill: none; }
.ticks, .dates { display: flex; justify-content: space-between; font-size: .8125rem; color: var(--quiet); line-height: 1; }
.ticks { flex-direction: column; text-align: right; margin: -.4rem 0; }
.dates { grid-column: 2; padding: .25rem 0 .625rem; }
details { margin-top: .75rem; font-size: .875rem; }
summary { color: var(--link); cursor: pointer; width: fit-content; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .625rem 0 .625rem 1rem; text-align: right; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; white-space: nowrap; }
thead th { padding-top: 0; border-top: 0; font-size: .8125rem; color: var(--quiet); }
th:first-child { padding-left: 0; text-align: left; white-space: normal; width: 100%; }
table.days { width: auto; margin-top: .5rem; }
table.days td, table.days th { padding-top: .125rem; padding-bottom: .125rem; border: 0; width: auto; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.event { margin-left: .25rem; padding: .0625rem .4375rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .75rem; font-weight: 400; color: var(--quiet); white-space: nowrap; }
code { overflow-wrap: anywhere; }
.note { display: block; overflow-wrap: anywhere; }
.to { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; font-size: .875rem; line-height: 1.4; }
span.to { color: var(--quiet); }
.reason { display: block; overflow-wrap: anywhere; }
.bar { display: block; width: 100%; height: .375rem; margin-top: .375rem; border-radius: .1875rem; }
.bar rect { fill: var(--bar); }
.main { font-weight: 600; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 2.5rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem 2rem; }
  h1 { font-size: 1.5rem; }
  section { margin-top: 2.25rem; }
  .tiles, .two { grid-template-columns: 1fr 1fr; }
  .two { grid-template-columns: 1fr; gap: 1.5rem; }
  .plot svg { height: 9rem; }
  .wide { display: none; }
  th, td { padding-left: .75rem; }
}
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --raised: #ffffff; --line: #c4cbd4;
    --text: #000000; --quiet: #454e59; --link: #000000;
    --bar: #3b76d6; --unknown: #dfe3e9; --good: #0d5a2c; --bad: #98170f;
  }
  @page { margin: 1.5cm; }
  body { max-width: none; padding: 0; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .tiles div { border: 1px solid var(--line); }
  section { margin-top: 1.5rem; }
  h2, h3, thead { break-after: avoid; }
  tr, .plot, .tiles { break-inside: avoid; }
  details { display: none; }
}
`;
