/** The style sheet of the dashboard: the one of all pages, with room for tables, charts and forms. */

import { STYLE } from '../../../base/pages/style.ts';

export const ADMIN_STYLE = `${STYLE}
:root { --good: #17693a; --good-page: #e9f7ee; --series-1: #1d4ed8; --series-2: #b42318; --series-3: #0f766e; --grid: #e4e7ec; }
@media (prefers-color-scheme: dark) {
  :root { --good: #7fd6a2; --good-page: #14301f; --series-1: #7aa2ff; --series-2: #ff9b8f; --series-3: #5fd0c5; --grid: #2a303b; }
}
body { display: block; padding: 0; font-size: .9375rem; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; background: transparent; border: 0; border-radius: 0; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; padding: .5rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
header p, header form { margin: 0; }
.brand { font-weight: 700; }
.brand a { color: inherit; text-decoration: none; }
nav { flex: 1 1 20rem; }
nav ul { display: flex; flex-wrap: wrap; margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .5rem; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; }
nav a:hover { color: var(--text); }
nav a[aria-current] { color: var(--text); border-color: var(--accent); font-weight: 600; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem; background: var(--card); }
.narrow { max-width: 27rem; margin: 8vh auto 0; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { font-size: 1.5rem; }
h2 { margin: 2rem 0 .75rem; font-size: 1.125rem; }
h3 { margin: 0 0 .5rem; font-size: 1rem; }
main > dl { background: var(--card); }
.card { margin: 0 0 1rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.card > :last-child { margin-bottom: 0; }
.card > h2:first-child { margin: 0 0 .5rem; font-size: 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem; }
.cards > .card { margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(8.5rem, 25% - 1rem), 1fr)); gap: 1rem; margin: 0 0 1rem; border: 0; }
main > .figures { background: transparent; }
.figures div, .figures div + div { padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.figures dd { font-size: 1.5rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: 0 0 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { padding: .75rem 1rem 0; text-align: left; font-weight: 600; }
th, td { padding: .5rem 1rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th, thead td { border-top: 0; color: var(--quiet); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.long { overflow-wrap: anywhere; min-width: 12rem; }
td form { margin: 0; }
time, .nowrap { white-space: nowrap; }
code, pre, .mono { font-family: ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace; font-size: .875em; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; overflow: auto; max-height: 32rem; white-space: pre-wrap; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .8125rem; white-space: nowrap; color: var(--quiet); }
.badge.good { color: var(--good); border-color: var(--good); }
.badge.bad { color: var(--alert); border-color: var(--alert); }
.badge.warn { color: var(--caution); border-color: var(--caution); }
.success { border-color: var(--good); background: var(--good-page); }
.success strong { color: var(--good); }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: 0 0 1rem; }
.filters > div { flex: 0 1 13rem; margin: 0; }
.filters > div input, .filters > div select, .filters button { height: 2.375rem; margin: .25rem 0 0; }
main nav { margin: 0 0 1rem; }
label, legend { font-size: .875rem; }
input[type="text"], input[type="password"], input[type="date"], input[type="datetime-local"], input[type="number"], select, textarea {
  display: block; width: 100%; margin: .25rem 0; padding: .4375rem .625rem; font: inherit; letter-spacing: 0;
  color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .5rem;
}
[hidden] { display: none !important; }
textarea { min-height: 6rem; font-family: ui-monospace, "Liberation Mono", Menlo, monospace; font-size: .875rem; resize: vertical; }
.field { margin: 0 0 1rem; max-width: 44rem; }
.field small, .check small { display: block; color: var(--quiet); }
.check { display: flex; gap: .5rem; align-items: baseline; margin: 0 0 .5rem; }
.check label { font-weight: 400; }
.pager { margin: 0 0 1rem; }
.pager ul { gap: .5rem; }
.pager a { padding: .375rem .75rem; color: var(--accent); border: 1px solid var(--line); border-radius: .5rem; }
.live { padding: .5rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.figures dd small { font-size: .875rem; font-weight: 400; color: var(--quiet); }
a.button { display: inline-block; margin-bottom: 1rem; padding: .5rem .875rem; color: var(--accent-text); background: var(--accent); border-radius: .5rem; text-decoration: none; font-weight: 600; }
a.button:hover { background: var(--accent-hover); }
.who { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
button { flex: 0 0 auto; min-height: 2.25rem; padding: .25rem .875rem; }
button.plain { min-height: 2rem; border-color: var(--line); font-weight: 400; }
button.danger { color: var(--alert); border-color: var(--alert); }
.actions { margin-top: 1rem; align-items: center; }
ul.plain-list { margin: 0; padding: 0; list-style: none; }
ul.plain-list li + li { margin-top: .375rem; }
ul.rows li { padding: .375rem 0; border-top: 1px solid var(--line); }
ul.rows li:first-child { border-top: 0; }
ul.rows small { display: block; color: var(--quiet); }
ul.plain-list.rows li + li { margin-top: 0; }
ol.timeline { margin: 0; padding: 0; list-style: none; }
ol.timeline li { display: grid; grid-template-columns: 12.5rem 1fr; gap: 0 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
ol.timeline li:first-child { border-top: 0; }
ol.timeline time { color: var(--quiet); font-variant-numeric: tabular-nums; }
ol.timeline small { display: block; color: var(--quiet); }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font-size: 11px; }
.grid { stroke: var(--grid); stroke-width: 1; }
.s1 { fill: var(--series-1); } .s2 { fill: var(--series-2); } .s3 { fill: var(--series-3); }
.l1, .l2, .l3 { fill: none; stroke-width: 2; stroke-linejoin: round; }
.l1 { stroke: var(--series-1); } .l2 { stroke: var(--series-2); stroke-dasharray: 5 3; } .l3 { stroke: var(--series-3); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 .25rem; padding: 0; list-style: none; color: var(--quiet); font-size: .8125rem; }
.legend svg { display: inline-block; width: 1.25rem; height: .625rem; margin-right: .375rem; vertical-align: baseline; }
.bar { display: block; height: .5rem; width: 100%; }
details { margin: .5rem 0 0; }
summary { cursor: pointer; color: var(--quiet); font-size: .875rem; }
@media (max-width: 40rem) {
  main { padding: 1rem; }
  header { padding: .5rem 1rem; }
  header nav { flex: 1 1 100%; order: 3; }
  nav a { padding: .375rem .5rem; white-space: nowrap; }
  svg text { font-size: 14px; }
  .brand { flex: 1; }
  .who { order: 2; flex: 1 1 100%; }
  .narrow { margin-top: 1rem; padding: 1.25rem; }
  ol.timeline li { grid-template-columns: 1fr; }
  th, td { padding: .5rem .75rem; }
  .stack thead { position: absolute; left: -100rem; }
  .stack tr { display: block; padding: .5rem .75rem; border-top: 1px solid var(--line); }
  .stack tbody tr:first-child { border-top: 0; }
  .stack td, .stack td.number {
    display: block; position: relative; min-height: 1.75rem; padding: .125rem 0 .125rem 7.5rem; border: 0; text-align: left;
    white-space: normal; overflow-wrap: anywhere;
  }
  .stack td::before { content: attr(data-label); position: absolute; left: 0; width: 7rem; color: var(--quiet); font-size: .8125rem; line-height: 1.75; }
  .stack td[data-label=""] { padding-left: 0; }
  .stack td:empty { display: none; }
  .filters > div { flex: 1 1 100%; }
}
@media (max-width: 30rem) { body { background: var(--page); } }
`;
