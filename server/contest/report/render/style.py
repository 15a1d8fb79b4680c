"""How the page looks: restrained, on light and dark screens, on desks and phones, and on paper."""

BRACKET = """
.bracket, .bracket ol { list-style: none; margin: 0; padding: 0; }
.bracket {
  --wire: color-mix(in srgb, var(--quiet) 55%, var(--card));
  display: flex; gap: 2.5rem; width: max-content; min-width: 100%; padding: 1rem 1.25rem 1.25rem; line-height: 1.35;
}
.bracket .round { display: flex; flex-direction: column; flex: 1; width: 13.5rem; max-width: 19rem; }
.bracket h3 { margin: 0 0 .25rem; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
.bracket ol { flex: 1; display: grid; grid-auto-rows: 1fr; }
.bracket ol > li { position: relative; display: grid; align-items: center; padding: .4rem 0; }
.bracket ol > li::before, .bracket ol > li:not(:only-child)::after {
  content: ""; position: absolute; width: 1.25rem; border: 0 solid var(--wire);
}
.bracket .round:not(:first-child) ol > li::before { right: 100%; top: 50%; border-top-width: 2px; margin-top: -1px; }
.bracket ol > li:nth-child(odd):not(:only-child)::after {
  left: 100%; top: calc(50% - 1px); bottom: 0; border-width: 2px 2px 0 0; border-top-right-radius: .5rem;
}
.bracket ol > li:nth-child(even)::after {
  left: 100%; top: 0; bottom: calc(50% - 1px); border-width: 0 2px 2px 0; border-bottom-right-radius: .5rem;
}
.bracket .pair { border: 1px solid var(--wire); border-radius: .5rem; background: var(--card); overflow: hidden; }
.bracket p { margin: 0; max-width: none; }
.bracket .side { display: flex; align-items: center; gap: .5rem; padding: .3rem .7rem; font-size: .9375rem; }
.bracket .side + .side { border-top: 1px solid color-mix(in srgb, var(--wire) 45%, var(--card)); }
.bracket .who { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bracket .score { font-variant-numeric: tabular-nums; }
.bracket .on { font-weight: 650; background: color-mix(in srgb, var(--accent) 10%, var(--card)); }
.bracket .on .mark {
  order: -1; width: .3rem; height: 1.1rem; border-radius: 1rem; background: var(--accent); color: transparent;
  overflow: hidden; margin-left: -.35rem;
}
.bracket :is(.out, .nobody) { color: var(--quiet); }
.bracket .nobody { font-style: italic; }
.bracket .played {
  padding: .25rem .7rem .35rem; font-size: .8125rem; color: var(--quiet);
  border-top: 1px solid color-mix(in srgb, var(--wire) 45%, var(--card));
}
"""
"""How a bracket looks, here and on the pages of the server: both have these colours."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #faf9f6; --card: #ffffff; --ink: #20211f; --quiet: #686a64; --line: #e3e1da; --shade: #f3f1eb;
  --accent: #0f6b66; --good: #2c6e3f; --bad: #a63a2b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #141618; --card: #1b1e20; --ink: #e4e4df; --quiet: #9a9c96; --line: #303436; --shade: #23272a;
    --accent: #62c4bb; --good: #7fc795; --bad: #ee9484;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
.sheet { max-width: 72rem; margin: 0 auto; padding: 3rem 1.5rem 5rem; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 650; margin: .4rem 0 .6rem;
  overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; line-height: 1.3; letter-spacing: -.01em; font-weight: 650; margin: 0 0 .3rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 2rem 0 .3rem; }
section { margin-top: 4rem; }
p { margin: .3rem 0 1rem; max-width: 44rem; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px;
}
.quiet, caption, .small { color: var(--quiet); }
.small { font-size: .875rem; }
.state { color: var(--accent); font-weight: 600; font-size: .875rem; margin: 0; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 2.2rem; margin: 1.5rem 0 0; padding: 0; }
.facts div { min-width: 6rem; }
.facts dt { color: var(--quiet); font-size: .8125rem; }
.facts dd { margin: 0; font-weight: 600; }
nav { margin-top: 2rem; padding: .8rem 0; border-block: 1px solid var(--line); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: 0; padding: 0; }
nav a { text-decoration: none; font-size: .9375rem; }
nav a:hover { text-decoration: underline; }
.scroll { overflow-x: auto; margin: 1rem 0 0; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
caption { text-align: left; font-size: .875rem; padding: .75rem 1rem .2rem; }
th, td { padding: .48rem .7rem; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-size: .8125rem; font-weight: 500; color: var(--quiet); vertical-align: bottom; }
th:first-child, td:first-child { padding-left: 1rem; }
th:last-child, td:last-child { padding-right: 1rem; }
tbody th { font-weight: 600; }
.place { width: 3rem; }
abbr { text-decoration-color: var(--line); }
.scroll:has(.narrow) { width: fit-content; max-width: 100%; }
.narrow th, .narrow td { padding-inline: 1.2rem; }
.name, .words, .left { text-align: left; }
.words { white-space: normal; min-width: 18rem; overflow-wrap: anywhere; }
.games { font-size: .875rem; }
.games th, .games td { padding-inline: .55rem; }
.games :is(th, td):first-child { padding-left: 1rem; }
.games .words { min-width: 12rem; }
.strong { font-weight: 650; }
.centre { text-align: center; }
tr.out th, tr.out td { color: var(--quiet); }
tr.out .name { text-decoration: line-through; }
tr.void td, tr.void th { color: var(--quiet); font-weight: 400; }
tr.meeting th { text-align: left; background: var(--shade); font-weight: 600; }
tr:target > *, tbody:target > tr > * { background: color-mix(in srgb, var(--accent) 14%, var(--card)); }
:is(.standings, .cross) .name { position: sticky; left: 0; background: var(--card); }
.cross td { text-align: center; min-width: 3.4rem; line-height: 1.25; }
.cross td :is(a, b) { display: block; text-decoration: none; font-weight: 600; color: var(--ink); }
.cross td a:hover { text-decoration: underline; }
.cross td span { display: block; font-size: .75rem; color: var(--quiet); letter-spacing: .06em; }
.cross td.self { background: var(--shade); }
.cross tbody tr { height: 3.3rem; }
.cross thead th { text-align: center; }
.cross thead th.name { text-align: left; }
.cross td :is(a, b).win { color: var(--good); }
.cross td :is(a, b).loss { color: var(--bad); }
.matrix td { text-align: center; font-size: .8125rem; padding-inline: .4rem; min-width: 3.8rem; }
HEAT
.plot { margin: 1rem 0 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
  overflow-x: auto; }
.plot svg { display: block; width: 100%; min-width: 40rem; height: auto; }
.plot text { fill: var(--ink); font-size: 13px; }
.plot .axis { fill: var(--quiet); font-size: 12px; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .zero { stroke: var(--quiet); stroke-width: 1; }
.plot .bar { stroke: var(--accent); stroke-width: 2; opacity: .55; }
.plot .dot { fill: var(--accent); }
BRACKET
details { margin-top: .8rem; }
summary { cursor: pointer; font-weight: 600; padding: .3rem 0; }
footer { margin-top: 5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem;
  color: var(--quiet); }
@media (max-width: 40rem) {
  .sheet { padding: 1.75rem 1rem 4rem; }
  h1 { font-size: 1.6rem; }
  section { margin-top: 3rem; }
  .facts { gap: .6rem 1.6rem; }
  table { font-size: .875rem; }
  th, td { padding: .45rem .5rem; }
  .name { max-width: 9rem; overflow: hidden; text-overflow: ellipsis; }
}
@media print {
  body { background: #fff; font-size: 11px; }
  .sheet { max-width: none; padding: 0; }
  nav { display: none; }
  .scroll, .plot { border-color: #ccc; overflow: visible; }
}
""".replace("BRACKET", BRACKET.strip()).replace(
    "HEAT",
    # shades of a probability, in tenths
    "\n".join(
        f".heat{tenth} {{ background: color-mix(in srgb, var(--accent) {max(0, 8 * (tenth - 4))}%, var(--card)); }}"
        for tenth in range(11)
    ),
)
