/** `/tools/{service}`: the tools of one service, in pages. */

import { type Html, html } from '../../../base/pages/html.ts';
import type { Page } from '../../../base/pages/page.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import type { Connector } from '../../../contract/index.ts';
import { toToolsLayout } from './layout.ts';
import { describeTools, searchForm, servicePath, TRAIL, toolItem, toolPath } from './parts.ts';

const PAGE_SIZE = 50;

/** The page number, from 1; anything but the number of an existing page means the first page. */
export function readPageNumber(asked: string | null, count: number): number {
  const number = Number(asked ?? 1);
  return Number.isSafeInteger(number) && number > 0 && (number - 1) * PAGE_SIZE < count ? number : 1;
}

/** @param number see `readPageNumber`. */
export function servicePage(connector: Connector, catalogue: Catalogue, number: number): Page {
  const tools = catalogue.toolsOf(connector);
  const shown = tools.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE);
  const pages = Math.ceil(tools.length / PAGE_SIZE);
  const content = html`<h1>${connector.title}</h1>
<p>${connector.description}</p>
<p class="quiet">${describeTools(tools)}${pages > 1 ? `. Page ${number} of ${pages}` : ''}.</p>
${searchForm('', connector)}
<ul class="list">${shown.map((tool) => toolItem(tool, toolPath(connector.name, tool.name), null))}</ul>
${pager(connector, number, pages)}`;
  const title = number === 1 ? connector.title : `${connector.title}, page ${number}`;
  return { title: `Tools of ${title}`, content, layout: toToolsLayout(TRAIL) };
}

function pager({ name }: Connector, number: number, pages: number): Html | null {
  if (pages < 2) return null;
  const link = (to: number, relation: string, text: string) =>
    to < 1 || to > pages
      ? null
      : html`<li><a rel="${relation}" href="${servicePath(name)}?page=${to}">${text}</a></li>`;
  return html`<nav class="pager" aria-label="Pages"><ul>${link(number - 1, 'prev', 'Previous')}${link(number + 1, 'next', 'Next')}</ul></nav>`;
}
