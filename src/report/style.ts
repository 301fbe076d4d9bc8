/**
 * Uses the fonts of the reader's computer. The test measures in a browser that every text colour has a contrast of at least 4.5 against its
 * background, in light and dark mode and on paper.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f9; --line: #d9dee5;
  --text: #17202b; --quiet: #566170; --link: #1b57b8;
  --bar: #3b76d6;
  --good: #176b3a; --bad: #b0261c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161b; --raised: #1c222a; --line: #343d49;
    --text: #e7ecf2; --quiet: #a3afbd; --link: #8fb8ff;
    --bar: #6a9df0;
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
main > p { margin-top: 2rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.quiet { color: var(--quiet); font-size: .875rem; }
.up { color: var(--good); } .down { color: var(--bad); }
header .quiet { margin: .375rem 0 0; font-size: 1rem; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.75rem 0 0; }
.tiles > * { display: block; padding: .875rem 1rem; background: var(--raised); border-radius: .625rem; color: inherit; }
.tiles a:hover { text-decoration: none; outline: 2px solid var(--line); }
.tiles span { display: block; }
.tiles .quiet { line-height: 1.35; text-wrap: balance; }
.tiles .quiet span { display: inline; }
.tiles .figure { font-size: 1.75rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
.days { columns: 2; column-gap: 2.5rem; margin: 0 0 .75rem; padding: 0; list-style: none; font-size: .875rem; }
.days li { display: flex; gap: .75rem; padding: .125rem 0; break-inside: avoid; }
.day { flex: none; width: 6rem; color: var(--quiet); }
.value { flex: auto; display: flex; align-items: center; gap: .375rem; min-width: 0; white-space: nowrap; }
.span { flex: none; height: .75rem; min-width: 2px; fill: var(--bar); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .625rem 1rem .625rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; }
td { white-space: nowrap; text-align: right; }
td.down { text-align: left; }
thead th { padding-top: 0; border-top: 0; font-size: .8125rem; color: var(--quiet); white-space: nowrap; }
th:last-child { width: 100%; padding-right: 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.event { margin-left: .25rem; padding: .0625rem .4375rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .75rem; font-weight: 400; white-space: nowrap; }
code { overflow-wrap: anywhere; }
.note, .to { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
.short { display: block; overflow-wrap: anywhere; }
.to { font-size: .875rem; line-height: 1.4; }
span.to { color: var(--quiet); }
.reason { display: block; overflow-wrap: anywhere; }
.bar { display: block; width: 100%; max-width: 30rem; height: .375rem; margin-top: .375rem; }
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
  .days { columns: 1; }
  th, td { padding-right: .75rem; }
}
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --raised: #ffffff; --line: #c4cbd4;
    --text: #000000; --quiet: #454e59; --link: #000000;
    --bar: #3b76d6; --good: #0d5a2c; --bad: #98170f;
  }
  @page { margin: 1.5cm; }
  body { max-width: none; padding: 0; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .tiles > * { border: 1px solid var(--line); }
  section { margin-top: 1.5rem; }
  h2, h3, thead { break-after: avoid; }
  tr, .tiles { break-inside: avoid; }
}
`;
