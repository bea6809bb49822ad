/** The frame of the pages about tools, one column that is wide enough for code and has no script, and the parts of these pages. */

import { button } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Layout } from '../../../base/pages/page.ts';
import { countEffects, countedVerbs, effectOf, toolCounts } from '../../../call/tools/catalogue/facts.ts';
import { toolItem } from '../../../call/tools/catalogue/tool-item.ts';
import type { Connector, ToolFace } from '../../../contract/index.ts';

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

/** Counts tools by effect, for example `19 tools: 10 read, 4 write, 5 delete or overwrite`, or `5 read-only tools`. */
export function describeTools(tools: readonly ToolFace[]): string {
  const counts = countEffects(tools.map(effectOf));
  const verbs = countedVerbs(counts);
  if (verbs.length === 1) return toolCounts(counts);
  const all = `${tools.length} tools`;
  return verbs.length === 0 ? all : `${all}: ${verbs.map((one) => one.join(' ')).join(', ')}`;
}

/** Returns the search form. @param service limits the search to one service. Null for all services. */
export function searchForm(words: string, service: { readonly name: string; readonly title: string } | null): Html {
  const label = service === null ? 'Find a tool' : `Find a tool of ${service.title}`;
  return html`<form class="search" role="search" method="get" action="${TOOLS_PATH}">
<div><label for="q">${label}</label>
<input type="search" id="q" name="q" value="${words}" maxlength="${MAX_QUERY_LENGTH}" autocomplete="off"></div>
${service === null ? null : html`<input type="hidden" name="service" value="${service.name}">`}${button('Search', { kind: 'primary' })}</form>`;
}

/** Returns the item of each tool in a list. @param isOfOneService leaves the title of the service out. */
export function toolItems(entries: readonly ListedTool[], isOfOneService: boolean): Html {
  return html`${entries.map(({ connector, tool }) =>
    toolItem({
      tool,
      path: toolPath(connector.name, tool.name),
      service: isOfOneService ? null : connector.title,
    }),
  )}`;
}

interface ListedTool {
  readonly connector: Connector;
  readonly tool: ToolFace;
}

/** @param trail the pages above this one, starting with the first. */
export function toToolsLayout(trail: readonly Step[]): Layout {
  return {
    name: 'document',
    frame: (content: Html) => html`<nav class="trail" aria-label="Where you are"><ul>${trail.map(
      ({ name, path }) => html`<li><a href="${path}">${name}</a></li>`,
    )}</ul></nav>
<main>
${content}
</main>
<footer>Unified Tool Gateway</footer>`,
  };
}
