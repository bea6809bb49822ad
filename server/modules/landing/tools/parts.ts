/** The frame of the pages about tools, one column wide enough for code and without a script, and what they are made of. */

import { type Html, html } from '../../../base/pages/html.ts';
import type { Layout } from '../../../base/pages/page.ts';
import { STYLE } from '../../../base/pages/style.ts';
import { countEffects, countedVerbs, effectName, effectOf, toolCounts } from '../../../call/tools/catalogue/facts.ts';
import type { ToolFace } from '../../../contract/index.ts';

/** One step on the path from the first page to this one. */
interface Step {
  readonly name: string;
  readonly path: string;
}

export const TOOLS_PATH = '/tools';

/** The pages above the pages of services. */
export const TRAIL: readonly Step[] = [
  { name: 'This gateway', path: '/' },
  { name: 'Tools', path: TOOLS_PATH },
];

/** Longer queries are cut off. */
export const MAX_QUERY_LENGTH = 100;

export function servicePath(service: string): string {
  return `${TOOLS_PATH}/${encodeURIComponent(service)}`;
}

export function toolPath(service: string, tool: string): string {
  return `${servicePath(service)}/${encodeURIComponent(tool)}`;
}

/** What a tool does, in one or two words. */
export function effectBadge(tool: ToolFace): Html {
  const effect = effectOf(tool);
  return html`<span class="badge ${effect}">${effectName(effect)}</span>`;
}

/** For example `19 tools: 10 read, 4 write, 5 delete or overwrite`, or `5 tools that read`. */
export function describeTools(tools: readonly ToolFace[]): string {
  const counts = countEffects(tools.map(effectOf));
  const verbs = countedVerbs(counts);
  if (verbs.length === 1) return toolCounts(counts);
  const all = `${tools.length} tools`;
  return verbs.length === 0 ? all : `${all}: ${verbs.map((one) => one.join(' ')).join(', ')}`;
}

/** @param service the one to search in; null: all. */
export function searchForm(words: string, service: { readonly name: string; readonly title: string } | null): Html {
  const label = service === null ? 'Find a tool' : `Find a tool of ${service.title}`;
  return html`<form class="search" role="search" method="get" action="${TOOLS_PATH}">
<div><label for="q">${label}</label>
<input type="search" id="q" name="q" value="${words}" maxlength="${MAX_QUERY_LENGTH}" autocomplete="off"></div>
${service === null ? null : html`<input type="hidden" name="service" value="${service.name}">`}<button type="submit" class="primary">Search</button></form>`;
}

/** A tool with a link to its page. @param service title of its service; null: on a page of that service. */
export function toolItem(tool: ToolFace, path: string, service: string | null): Html {
  return html`<li><a href="${path}"><code>${tool.name}</code></a> ${effectBadge(tool)}<small>${tool.title}${service === null ? null : html` · ${service}`}</small></li>`;
}

const TOOLS_STYLE = `${STYLE}
:root { --good: #17693a; }
@media (prefers-color-scheme: dark) { :root { --good: #7fd6a2; } }
body { display: block; padding: 1rem; }
main, body > nav { max-width: 52rem; margin: 0 auto; }
main { padding: 1.5rem 2rem 2rem; }
body > nav { padding: .5rem 0; }
footer { margin: 0 auto; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: 0; padding: 0; list-style: none; }
nav.trail li + li::before { content: "/"; margin-right: .5rem; color: var(--quiet); }
nav.pager { margin: 1rem 0 0; }
nav.pager ul { gap: 1rem; }
nav a { display: inline-block; padding: .25rem 0; }
h1 { margin-bottom: .5rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
code, pre { font-family: ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace; font-size: .9em; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; max-height: 32rem; overflow: auto; white-space: pre-wrap; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
.text { white-space: pre-line; }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid; border-radius: 1rem; font-size: .8125rem; white-space: nowrap; }
.reads { color: var(--good); } .writes { color: var(--caution); } .destroys { color: var(--alert); }
.list { margin: 1rem 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .5rem; }
.list > li { padding: .75rem 1rem; }
.list > li + li { border-top: 1px solid var(--line); }
.list small, dd small { display: block; color: var(--quiet); font-size: .875rem; }
dl.arguments dt { color: inherit; font-size: 1rem; }
dl.arguments dl { margin: .5rem 0 0; }
dl.arguments dt span { color: var(--quiet); font-size: .875rem; }
details { margin: .5rem 0 1rem; }
dd details { margin-bottom: 0; }
a code, .list a { text-underline-offset: .3em; }
form.search { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: 1rem 0 1.5rem; }
form.search > div { flex: 1 1 16rem; }
input[type="search"] { display: block; width: 100%; min-height: 2.75rem; margin: .375rem 0 0; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .5rem; }
form.search button { flex: 0 0 auto; }
.try { display: inline-block; padding: .5rem 1rem; font-weight: 600; text-decoration: none; color: var(--accent-text); background: var(--accent); border-radius: .5rem; }
.try:hover { background: var(--accent-hover); }
@media (max-width: 30rem) { body { padding: 0; } body > nav { padding: .5rem 1.25rem; background: var(--page); } main { padding: 1.25rem; } }
`;

/** @param trail the pages above this one, starting with the first. */
export function toToolsLayout(trail: readonly Step[]): Layout {
  return {
    style: TOOLS_STYLE,
    frame: (content: Html) => html`<nav class="trail" aria-label="Where you are"><ul>${trail.map(
      ({ name, path }) => html`<li><a href="${path}">${name}</a></li>`,
    )}</ul></nav>
<main>
${content}
</main>
<footer>Unified Tool Gateway</footer>`,
  };
}
